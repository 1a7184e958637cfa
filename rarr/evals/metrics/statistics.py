"""Computes intervals for means, shares and other statistics, and compares two systems on the same rows.

All results are deterministic for a seed. A row must be drawn independently (a document rather than its
sentences), otherwise intervals are too narrow. A row that could not be judged is None: it is not used, but
counted as `unjudged`. Intervals are 95%.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from random import Random
from statistics import NormalDist
from typing import TypeVar

from rarr.errors import InputError
from rarr.ledger.scores import f1_ap
from rarr.records import Record

LEVEL, RESAMPLES, FLIPS = 0.95, 2000, 10_000

Row = TypeVar("Row")
Scored = tuple[float, float]
"""Attribution and preservation of one text."""


class Measured(Record):
    """A value over `n` judged rows, with its 95% interval.

    `value` is None if no row was judged, or the statistic is not defined for the rows. `low` and `high` are
    also None for a single row, which tells nothing about others. `unjudged` rows were not used.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    unjudged: int = 0


class Paired(Record):
    """Two systems on the same rows: the difference `b - a`, and `p` for the hypothesis that they are equal.

    `p` is None if no row was judged for both systems.
    """

    difference: Measured
    p: float | None = None


def mean(values: Sequence[float | None], *, resamples: int = RESAMPLES) -> Measured:
    """Computes the mean, with its percentile bootstrap interval (Efron and Tibshirani 1993, ch. 13).

    The order of rows does not matter.
    """
    judged = sorted(value for value in values if value is not None)
    return bootstrap(judged, _mean, unjudged=len(values) - len(judged), resamples=resamples)


def bootstrap(
    rows: Sequence[Row],
    statistic: Callable[[Sequence[Row]], float | None],
    *,
    unjudged: int = 0,
    resamples: int = RESAMPLES,
) -> Measured:
    """Computes a statistic of judged rows, such as F1, with its percentile bootstrap interval.

    Rows are drawn with replacement. Resamples for which the statistic is not defined (None) are left out.
    """
    one = bootstrap_each(rows, lambda drawn: {"": statistic(drawn)}, unjudged=unjudged, resamples=resamples)
    return one.get("", Measured(n=len(rows), unjudged=unjudged))


def bootstrap_each(
    rows: Sequence[Row],
    statistics: Callable[[Sequence[Row]], Mapping[str, float | None]],
    *,
    unjudged: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Measured]:
    """Computes several statistics by name, as `bootstrap` does, on the same resamples; {} without rows."""
    values = statistics(rows) if rows else {}
    random = Random(0)
    count = resamples if len(rows) > 1 and any(value is not None for value in values.values()) else 0
    drawn = [statistics(random.choices(rows, k=len(rows))) for _ in range(count)]
    measured = dict[str, Measured]()
    for name, value in values.items():
        low = high = None
        ordered = sorted(known for each in drawn if (known := each[name]) is not None)
        if value is not None and ordered:
            cut = int((1 - LEVEL) / 2 * len(ordered))
            low, high = ordered[cut], ordered[-1 - cut]
        measured[name] = Measured(value=value, low=low, high=high, n=len(rows), unjudged=unjudged)
    return measured


def share(hits: Sequence[bool | None]) -> Measured:
    """Computes the share of true rows, with its Wilson interval (Wilson 1927).

    Unlike a bootstrap interval, it has a width even if all rows agree.
    """
    judged = [hit for hit in hits if hit is not None]
    n, k, unjudged = len(judged), sum(judged), len(hits) - len(judged)
    if not n:
        return Measured(unjudged=unjudged)
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    centre = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(k * (n - k) / n + z * z / 4)
    # At 0 of n and n of n the interval ends in the share, apart from rounding.
    low, high = min(max(centre - half, 0), k / n), max(min(centre + half, 1), k / n)
    return Measured(value=k / n, low=low, high=high, n=n, unjudged=unjudged)


def f1_ap_of_set(texts: Sequence[Scored]) -> float | None:
    """Computes F1_AP of a set: the harmonic mean of its average attribution and its average preservation.

    The tables of RARR (Gao et al. 2023) and PURR (Chen et al. 2023) give it this way: an attribution of 54.9
    and a preservation of 89.6 give 68.1. None for no texts.
    """
    return f1_ap(*_averages(texts)) if texts else None


def measured_f1_ap(texts: Sequence[Scored | None]) -> Measured:
    """Computes F1_AP of a set with its bootstrap interval over texts; None is a text that was not judged."""
    judged = sorted(text for text in texts if text is not None)
    return bootstrap(judged, f1_ap_of_set, unjudged=len(texts) - len(judged))


Values = tuple[float, ...]
"""The scores of one row of which a statistic takes the averages over all rows."""


def paired(
    a: Sequence[Values | None],
    b: Sequence[Values | None],
    statistic: Callable[..., float | None] = lambda value: value,
    *,
    flips: int = FLIPS,
) -> Paired:
    """Compares two systems row by row: `a[i]` and `b[i]` belong to the same row.

    `statistic` computes a value from the averages of the scores: their mean by default, or `f1_ap` of two.
    The interval of the difference is a bootstrap interval over rows. `p` is from a two-sided permutation test
    that swaps the systems for random rows: how often the difference is as far from 0, (hits + 1) / (flips +
    1) (Phipson and Smyth 2010). Rows that were not judged for both systems are left out, as `unjudged`.
    Raises `InputError` for lists of different lengths.
    """
    if len(a) != len(b):
        raise InputError(f"a pair needs the same rows: one system has {len(a)} and the other {len(b)}")
    pairs = sorted((x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None)

    def difference(drawn: Sequence[tuple[Values, Values]]) -> float:
        before, after = (statistic(*_averages([pair[side] for pair in drawn])) or 0.0 for side in (0, 1))
        return after - before

    measured = bootstrap(pairs, difference, unjudged=len(a) - len(pairs))
    return Paired(difference=measured, p=_permuted(pairs, statistic, flips) if pairs else None)


_ODD = bytes(i % 2 for i in range(256))


def _permuted(
    pairs: Sequence[tuple[Values, Values]], statistic: Callable[..., float | None], flips: int
) -> float:
    columns = range(len(pairs[0][0]))
    sums = [[math.fsum(pair[side][column] for pair in pairs) for column in columns] for side in (0, 1)]
    moves = [[pair[1][column] - pair[0][column] for pair in pairs] for column in columns]

    def distance(moved: Sequence[float]) -> float:
        before, after = (
            statistic(*((total + sign * by) / len(pairs) for total, by in zip(side, moved, strict=True)))
            or 0.0
            for side, sign in zip(sums, (1, -1), strict=True)
        )
        return abs(after - before)

    random = Random(0)
    observed = distance([0.0 for _ in columns]) - 1e-9  # rounding must not tell equal sums apart
    masks = (random.randbytes(len(pairs)).translate(_ODD) for _ in range(flips))
    hits = sum(distance([sum(compress(move, mask)) for move in moves]) >= observed for mask in masks)
    return (hits + 1) / (flips + 1)


def _averages(rows: Sequence[Values]) -> list[float]:
    return [_mean(column) for column in zip(*rows, strict=True)]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)  # an exact sum, which does not depend on the order
