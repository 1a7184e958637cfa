"""Computes intervals for means, shares and other statistics, and compares two systems on the same rows.

All results are deterministic for a seed. A row must be drawn independently (a document rather than its
sentences), otherwise intervals are too narrow. A row that could not be judged is None: it is not used, but
counted as `unjudged`.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from random import Random
from statistics import NormalDist
from typing import TypeVar

from rarr.errors import InputError
from rarr.records import Record

LEVEL, RESAMPLES, FLIPS = 0.95, 2000, 10_000

Row = TypeVar("Row")


class Measured(Record):
    """A value over `n` judged rows, with its interval (95% unless another level was given).

    `value` is None if no row was judged, or the statistic is not defined for the rows. `low` and `high` are
    also None for a single row, which tells nothing about others. `unjudged` rows were not used.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    unjudged: int = 0


class Paired(Record):
    """Two systems on the same rows: the mean of `b - a`, and `p` for the hypothesis that they are equal.

    `p` is None if no row was judged for both systems.
    """

    difference: Measured
    p: float | None = None


def mean(
    values: Sequence[float | None], *, resamples: int = RESAMPLES, level: float = LEVEL, seed: int = 0
) -> Measured:
    """Computes the mean, with its percentile bootstrap interval (Efron and Tibshirani 1993, ch. 13).

    The order of rows does not matter.
    """
    judged = sorted(value for value in values if value is not None)
    unjudged = len(values) - len(judged)
    return bootstrap(judged, _mean, unjudged=unjudged, resamples=resamples, level=level, seed=seed)


def bootstrap(
    rows: Sequence[Row],
    statistic: Callable[[Sequence[Row]], float | None],
    *,
    unjudged: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Measured:
    """Computes a statistic of judged rows, such as F1, with its percentile bootstrap interval.

    Rows are drawn with replacement. Resamples for which the statistic is not defined (None) are left out.
    """
    one = bootstrap_each(
        rows,
        lambda drawn: {"": statistic(drawn)},
        unjudged=unjudged,
        resamples=resamples,
        level=level,
        seed=seed,
    )
    return one.get("", Measured(n=len(rows), unjudged=unjudged))


def bootstrap_each(
    rows: Sequence[Row],
    statistics: Callable[[Sequence[Row]], Mapping[str, float | None]],
    *,
    unjudged: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> dict[str, Measured]:
    """Computes several statistics by name, as `bootstrap` does, on the same resamples; {} without rows."""
    values = statistics(rows) if rows else {}
    random = Random(seed)
    count = resamples if len(rows) > 1 and any(value is not None for value in values.values()) else 0
    drawn = [statistics(random.choices(rows, k=len(rows))) for _ in range(count)]
    measured = dict[str, Measured]()
    for name, value in values.items():
        low, high = None, None
        if value is not None:
            ordered = sorted(known for each in drawn if (known := each[name]) is not None)
            low, high = _middle(ordered, level)
        measured[name] = Measured(value=value, low=low, high=high, n=len(rows), unjudged=unjudged)
    return measured


def share(hits: Sequence[bool | None], *, level: float = LEVEL) -> Measured:
    """Computes the share of true rows, with its Wilson interval (Wilson 1927).

    Unlike a bootstrap interval, it has a width even if all rows agree.
    """
    judged = [hit for hit in hits if hit is not None]
    n, k, unjudged = len(judged), sum(judged), len(hits) - len(judged)
    if not n:
        return Measured(unjudged=unjudged)
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(k * (n - k) / n + z * z / 4)
    # At 0 of n and n of n the interval ends in the share, apart from rounding.
    low, high = min(max(centre - half, 0), k / n), max(min(centre + half, 1), k / n)
    return Measured(value=k / n, low=low, high=high, n=n, unjudged=unjudged)


def paired(
    a: Sequence[float | None],
    b: Sequence[float | None],
    *,
    resamples: int = RESAMPLES,
    flips: int = FLIPS,
    level: float = LEVEL,
    seed: int = 0,
) -> Paired:
    """Compares two systems row by row: `a[i]` and `b[i]` belong to the same row.

    The interval of the mean difference is a bootstrap interval. `p` is from a two-sided paired permutation
    test: how often the mean of differences with random signs is as far from 0, (hits + 1) / (flips + 1)
    (Phipson and Smyth 2010). Rows that were not judged for both systems are left out, as `unjudged`. Neither
    swapping the systems nor the order of rows changes `p`. Raises `InputError` for lists of different
    lengths.
    """
    if len(a) != len(b):
        raise InputError(f"a pair needs the same rows: one system has {len(a)} and the other {len(b)}")
    differences = [
        None if value_a is None or value_b is None else value_b - value_a
        for value_a, value_b in zip(a, b, strict=True)
    ]
    difference = mean(differences, resamples=resamples, level=level, seed=seed)
    judged = [difference for difference in differences if difference is not None]
    return Paired(difference=difference, p=_sign_flip(judged, flips, seed) if judged else None)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)  # an exact sum, which does not depend on the order


def _middle(ordered: Sequence[float], level: float) -> tuple[float | None, float | None]:
    """The least and greatest of the middle `level` share of sorted values; None and None without values."""
    if not ordered:
        return None, None
    cut = int((1 - level) / 2 * len(ordered))
    return ordered[cut], ordered[-1 - cut]


_ODD = bytes(i % 2 for i in range(256))


def random_masks(n: int, flips: int, seed: int) -> Iterator[bytes]:
    """Yields `flips` random rows of `n` zeros and ones."""
    random = Random(seed)
    for _ in range(flips):
        yield random.randbytes(n).translate(_ODD)


def _sign_flip(differences: Sequence[float], flips: int, seed: int) -> float:
    sizes = sorted(abs(difference) for difference in differences if difference)
    # Rounding must not tell equal sums apart.
    observed = abs(math.fsum(differences)) - 1e-9 * sum(sizes)
    hits = sum(abs(total) >= observed for total in _flipped(sizes, flips, seed))
    return (hits + 1) / (flips + 1)


def _flipped(sizes: Sequence[float], flips: int, seed: int) -> Iterator[float]:
    """Yields sums of `sizes` with random signs: the whole sum less twice the sizes that become negative."""
    whole = sum(sizes)
    for negative in random_masks(len(sizes), flips, seed):
        yield whole - 2 * sum(compress(sizes, negative))
