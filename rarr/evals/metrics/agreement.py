"""Measures how far people agree who rated the same items: Krippendorff's alpha, and per cent agreement.

A unit is an item with the values that raters gave it, in any order; None is a rater who gave no value. Only
units with at least two values count, since a single value agrees with nothing.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Literal

from rarr.errors import InputError
from rarr.evals.metrics.statistics import Measured, bootstrap
from rarr.records import Record

Distance = Literal["nominal", "ordinal"]
"""How far apart two values of a scale are: all equally, or by ranks."""

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
    return _alpha(_counted(units, scale), distance)


def agreement(
    units: Sequence[Sequence[str | None]], scale: Sequence[str], distance: Distance = "nominal"
) -> RaterAgreement:
    """Computes both measures with their intervals. Raises `InputError` as `krippendorff_alpha` does."""
    counted = _counted(units, scale)
    unjudged = len(units) - len(counted)
    return RaterAgreement(
        alpha=bootstrap(counted, lambda drawn: _alpha(drawn, distance), unjudged=unjudged),
        percent=bootstrap(counted, _percent, unjudged=unjudged),
    )


def _counted(units: Sequence[Sequence[str | None]], scale: Sequence[str]) -> list[_Counts]:
    """Counts the values of each unit that has at least two."""
    known = {*scale, None}
    if unknown := sorted({value for unit in units for value in unit if value not in known}, key=str):
        raise InputError(f"no value {unknown[0]!r}: there are {', '.join(scale)}")
    counts = [tuple(list(unit).count(value) for value in scale) for unit in units]
    return [count for count in counts if sum(count) > 1]


def _alpha(units: Sequence[_Counts], distance: Distance) -> float | None:
    """Computes alpha from coincidences: each unit gives its pairs of values, weighted by 1 / (values - 1)."""
    patterns = Counter(units)  # many units are alike, above all in resamples
    counts = ([times * count for count in unit] for unit, times in patterns.items())
    totals = [sum(column) for column in zip(*counts, strict=True)]
    observed = expected = 0.0
    for low, high in combinations(range(len(totals)), 2):
        apart = 1.0
        if distance == "ordinal":  # the number of values from low to high, of which both ends count half
            apart = (sum(totals[low : high + 1]) - (totals[low] + totals[high]) / 2) ** 2
        pairs = sum(times * unit[low] * unit[high] / (sum(unit) - 1) for unit, times in patterns.items())
        observed += pairs * apart
        expected += totals[low] * totals[high] * apart
    return 1 - (sum(totals) - 1) * observed / expected if expected else None


def _percent(units: Sequence[_Counts]) -> float | None:
    equal = sum(comb(count, 2) for unit in units for count in unit)
    pairs = sum(comb(sum(unit), 2) for unit in units)
    return equal / pairs if pairs else None
