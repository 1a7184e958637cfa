"""Computes means, shares and other statistics with their 95% intervals.

All results are deterministic. Rows must be independent (documents rather than their sentences), otherwise
intervals are too narrow. A row that could not be judged (None) is not used, but counted as `unjudged`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import NormalDist
from typing import TypeVar

from rarr.ledger.scores import f1_ap
from rarr.records import Record

LEVEL, RESAMPLES = 0.95, 2000

Drawn = TypeVar("Drawn")


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


def mean(values: Sequence[float | None]) -> Measured:
    """Computes the mean. The order of the values does not matter."""
    judged = sorted(value for value in values if value is not None)
    return bootstrap(judged, _mean, unjudged=len(values) - len(judged))


def bootstrap(
    rows: Sequence[Drawn], statistic: Callable[[Sequence[Drawn]], float | None], *, unjudged: int = 0
) -> Measured:
    """Computes a statistic of rows, such as F1, as `bootstrap_each` does."""
    one = bootstrap_each(rows, lambda drawn: {"": statistic(drawn)}, unjudged=unjudged)
    return one.get("", Measured(n=len(rows), unjudged=unjudged))


def bootstrap_each(
    rows: Sequence[Drawn],
    statistics: Callable[[Sequence[Drawn]], Mapping[str, float | None]],
    *,
    unjudged: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Measured]:
    """Computes statistics by name, with percentile bootstrap intervals (Efron and Tibshirani 1993, ch. 13).

    Rows are drawn with replacement. Resamples for which a statistic is not defined are left out of its
    interval. Returns {} without rows.
    """
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


def share_of(part: int, whole: int) -> Measured:
    """Computes the share of `part` in `whole`, as `share` does."""
    return share([True] * part + [False] * (whole - part))


def f1_ap_of_set(scores: Sequence[tuple[float | None, float | None]]) -> Measured:
    """Computes F1_AP of a set of texts: the harmonic mean of the averages of attribution and preservation.

    The tables of RARR (Gao et al. 2023) and PURR (Chen et al. 2023) give it this way: an attribution of 54.9
    and a preservation of 89.6 give 68.1.
    """
    judged = sorted((one, other) for one, other in scores if one is not None and other is not None)

    def of_averages(drawn: Sequence[tuple[float, float]]) -> float | None:
        return f1_ap(*(_mean(column) for column in zip(*drawn, strict=True)))

    return bootstrap(judged, of_averages, unjudged=len(scores) - len(judged))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)  # an exact sum, which does not depend on the order
