"""Intervals by groups of rows: rows of one document are not independent draws."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeVar

from rarr.evals.metrics import Measured, bootstrap

RESAMPLES = 500
Row = TypeVar("Row")


def grouped(rows: Sequence[Row], groups: Sequence[str]) -> list[list[Row]]:
    """The rows of each group. Groups are in the order of their first rows."""
    rows_by_group: dict[str, list[Row]] = defaultdict(list)
    for row, group in zip(rows, groups, strict=True):
        rows_by_group[group].append(row)
    return list(rows_by_group.values())


def over_groups(
    rows: Sequence[Row], groups: Sequence[str], statistic: Callable[[Sequence[Row]], float | None]
) -> Measured:
    """A statistic of rows, with its interval by bootstrap over their groups; `n` counts rows."""

    def flat(drawn: Sequence[Sequence[Row]]) -> float | None:
        return statistic([row for group in drawn for row in group])

    measured = bootstrap(grouped(rows, groups), flat, resamples=RESAMPLES)
    return measured.model_copy(update={"n": len(rows)})


def over_sets(
    sets: Mapping[str, Sequence[Row]], statistic: Callable[[Sequence[Row]], float | None]
) -> Measured:
    """The mean of a statistic over sets, with its interval by bootstrap within each set.

    Sets for which the statistic is not defined are left out; `n` counts the others.
    """

    def of(drawn: Sequence[Sequence[Row]]) -> float | None:
        values = [value for value in map(statistic, drawn) if value is not None]
        return sum(values) / len(values) if values else None

    whole = list(sets.values())
    value, random = of(whole), Random(0)
    n = sum(statistic(rows) is not None for rows in whole)
    redrawn = [of([random.choices(rows, k=len(rows)) for rows in whole]) for _ in range(RESAMPLES)]
    ordered = sorted(value for value in redrawn if value is not None)
    if value is None or not ordered:
        return Measured(value=value, n=n)
    cut = len(ordered) // 40
    return Measured(value=value, low=ordered[cut], high=ordered[-1 - cut], n=n)


def mean(values: Sequence[float]) -> float | None:
    """The mean of the values; None if there are none."""
    return sum(values) / len(values) if values else None
