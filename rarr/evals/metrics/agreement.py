"""Measures how far people agree who rated the same items: Krippendorff's alpha, and per cent agreement.

A unit is an item with the values that raters gave it, in any order; None is a rater who gave no value. Only
units with at least two values count, since a single value agrees with nothing.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal

from rarr.errors import InputError
from rarr.evals.metrics.statistics import Measured, bootstrap
from rarr.records import Record

Distance = Literal["nominal", "ordinal", "interval"]
"""How far apart two values of a scale are: all equally, by ranks, or by equal steps."""

_Counts = tuple[int, ...]  # how many raters gave each value of the scale to one unit


class RaterAgreement(Record):
    """The agreement of raters about one question, with 95% bootstrap intervals over units.

    `alpha` is 1 for perfect agreement, about 0 for agreement by chance, and below 0 for less. Its value is
    None if no unit has two values, and if all values are the same: then chance alone would give the same
    agreement, and alpha is not defined. `percent` is the share (0 to 1) of pairs of values of one unit that
    are equal. `unjudged` counts the units with fewer than two values.
    """

    alpha: Measured
    percent: Measured


def krippendorff_alpha(
    units: Sequence[Sequence[str | None]], scale: Sequence[str], distance: Distance = "nominal"
) -> float | None:
    """Computes 1 - observed / expected disagreement (Krippendorff 2011).

    `scale` has every value, in its order where `distance` needs it. None if no two values could disagree.
    Raises `InputError` for a value that is not in `scale`.
    """
    return _alpha(_paired(units, scale), _DISTANCES[distance])


def percent_agreement(units: Sequence[Sequence[str | None]], scale: Sequence[str]) -> float | None:
    """Computes the share (0 to 1) of pairs of values of one unit that are equal; None without a pair.

    Raises `InputError` for a value that is not in `scale`.
    """
    return _percent(_paired(units, scale))


def agreement(
    units: Sequence[Sequence[str | None]], scale: Sequence[str], distance: Distance = "nominal"
) -> RaterAgreement:
    """Computes both measures with their intervals. Raises `InputError` as `krippendorff_alpha` does."""
    paired = _paired(units, scale)
    unjudged = len(units) - len(paired)
    return RaterAgreement(
        alpha=bootstrap(paired, lambda drawn: _alpha(drawn, _DISTANCES[distance]), unjudged=unjudged),
        percent=bootstrap(paired, _percent, unjudged=unjudged),
    )


def _paired(units: Sequence[Sequence[str | None]], scale: Sequence[str]) -> list[_Counts]:
    """Counts the values of each unit that has at least two."""
    known = {*scale, None}
    if unknown := sorted({value for unit in units for value in unit if value not in known}, key=str):
        raise InputError(f"no value {unknown[0]!r}: there are {', '.join(scale)}")
    counts = [tuple(list(unit).count(value) for value in scale) for unit in units]
    return [count for count in counts if sum(count) > 1]


def _alpha(units: Sequence[_Counts], distance: Callable[[int, int, Sequence[int]], float]) -> float | None:
    """Computes alpha from coincidences: each unit gives its pairs of values, weighted by 1 / (values - 1)."""
    patterns = Counter(units)  # many units are alike, above all in resamples
    counts = ([times * count for count in unit] for unit, times in patterns.items())
    totals = [sum(column) for column in zip(*counts, strict=True)]
    observed = expected = 0.0
    for low, high in combinations(range(len(totals)), 2):
        apart = distance(low, high, totals)
        pairs = sum(times * unit[low] * unit[high] / (sum(unit) - 1) for unit, times in patterns.items())
        observed += pairs * apart
        expected += totals[low] * totals[high] * apart
    return 1 - (sum(totals) - 1) * observed / expected if expected else None


def _percent(units: Sequence[_Counts]) -> float | None:
    patterns = Counter(units)
    equal = sum(times * sum(map(_pairs, unit)) for unit, times in patterns.items())
    pairs = sum(times * _pairs(sum(unit)) for unit, times in patterns.items())
    return equal / pairs if pairs else None


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _nominal(low: int, high: int, totals: Sequence[int]) -> float:
    return 1.0


def _ordinal(low: int, high: int, totals: Sequence[int]) -> float:
    """Squares the number of values from `low` to `high`, of which both ends count half."""
    return (sum(totals[low : high + 1]) - (totals[low] + totals[high]) / 2) ** 2


def _interval(low: int, high: int, totals: Sequence[int]) -> float:
    return float((high - low) ** 2)


_DISTANCES: dict[Distance, Callable[[int, int, Sequence[int]], float]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
}
