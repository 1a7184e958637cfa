"""Measures probabilities against people: how far they are calibrated, and which threshold fits best."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rarr.records import Record

BINS = 10


class ReliabilityBin(Record):
    """The rows with a probability from `low` to `high`, and how many of them people found true.

    `probability` is their mean probability, and `share` the share of true rows, both from 0 to 1.
    """

    low: float
    high: float
    n: int
    probability: float
    share: float


def reliability(rows: Sequence[tuple[float, bool]], bins: int = BINS) -> list[ReliabilityBin]:
    """Sorts rows of a probability (0 to 1) and a label into bins of equal width; empty bins are left out."""
    filled: dict[int, list[tuple[float, bool]]] = {}
    for probability, label in rows:
        filled.setdefault(min(int(probability * bins), bins - 1), []).append((probability, label))
    return [
        ReliabilityBin(
            low=index / bins,
            high=(index + 1) / bins,
            n=len(members),
            probability=math.fsum(probability for probability, _ in members) / len(members),
            share=sum(label for _, label in members) / len(members),
        )
        for index, members in sorted(filled.items())
    ]


def expected_calibration_error(rows: Sequence[tuple[float, bool]], bins: int = BINS) -> float | None:
    """Computes the mean distance of probability and share over `reliability` bins, weighted by their rows.

    Between 0 and 1; None without rows (Naeini et al. 2015).
    """
    if not rows:
        return None
    parts = (each.n * abs(each.probability - each.share) for each in reliability(rows, bins))
    return math.fsum(parts) / len(rows)


def brier_score(rows: Sequence[tuple[float, bool]]) -> float | None:
    """Computes the mean squared distance of probability and label, from 0 to 1; None without rows.

    Brier 1950.
    """
    return math.fsum((p - label) ** 2 for p, label in rows) / len(rows) if rows else None


class Called(NamedTuple):
    """Counts of rows: `called` true by a threshold, `hits` of these rightly; `true` of all `n` rows."""

    hits: int
    called: int
    true: int
    n: int

    @property
    def f1(self) -> float | None:
        """The F1 of true, from 0 to 1; None if no row is true and none was called true."""
        return 2 * self.hits / (self.called + self.true) if self.called + self.true else None

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of the recalls of true and false, from 0 to 1; None if all rows have one label."""
        if not 0 < self.true < self.n:
            return None
        false = self.n - self.true
        return (self.hits / self.true + (false - self.called + self.hits) / false) / 2


def called_from(rows: Sequence[tuple[float, bool]], threshold: float) -> Called:
    """Counts the rows that a threshold calls true: those with at least this probability."""
    labels = [label for probability, label in rows if probability >= threshold]
    return Called(sum(labels), len(labels), sum(label for _, label in rows), len(rows))


def best_threshold(
    rows: Sequence[tuple[float, bool]], score: Callable[[Called], float | None]
) -> float | None:
    """Finds the probability from which on rows should be called true, so that `score` is highest.

    Candidates are the probabilities of the rows; of equal scores the highest threshold wins. None if no score
    is defined.
    """
    best: tuple[float, float] | None = None
    hits, true, ordered = 0, sum(label for _, label in rows), sorted(rows, reverse=True)
    for called, (probability, label) in enumerate(ordered, start=1):
        hits += label
        if called < len(ordered) and ordered[called][0] == probability:
            continue  # a threshold that one row reaches is reached by all rows of the same probability
        value = score(Called(hits, called, true, len(rows)))
        if value is not None and (best is None or value > best[0]):
            best = value, probability
    return None if best is None else best[1]
