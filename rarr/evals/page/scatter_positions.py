"""Computes a chart of attribution against preservation: rows, their means, and curves of equal F1_AP.

The chart follows figure 6.5 of Chen 2023. Before a revision everything is preserved, so the mark `before`
stands at the right edge.
"""

from collections import defaultdict
from statistics import fmean
from typing import NamedTuple

_NEAR = 50
"""The number of places on one side. Rows in the same place are drawn as one circle with their number."""


class Dot(NamedTuple):
    """A row: its preservation, and its attribution before and after the revision, each from 0 to 1."""

    name: str
    preservation: float
    before: float
    after: float


class Chart:
    """Computes positions in the chart, in its own units (`wide` by `high`), for at least one row.

    The letters are large enough to read on a phone. Most revisions keep nearly the whole text, so the axis
    of preservation begins at `low`. The axis of attribution begins at 0.
    """

    wide, high = 440, 430
    left, top, side = 54, 36, 340
    bottom = top + side

    def __init__(self, dots: list[Dot]) -> None:
        self.dots = dots
        self.kept = fmean(dot.preservation for dot in dots)
        self.before, self.after = fmean(dot.before for dot in dots), fmean(dot.after for dot in dots)
        least = min(dot.preservation for dot in dots)
        self.low, self.steps = next((low, n) for low, n in ((0.8, 4), (0.5, 5), (0.0, 5)) if least >= low)

    def x(self, preservation: float) -> float:
        """The horizontal position of a preservation from 0 to 1."""
        return self.left + self.side * (preservation - self.low) / (1 - self.low)

    def y(self, attribution: float) -> float:
        """The vertical position of an attribution from 0 to 1."""
        return self.bottom - self.side * attribution

    def curve(self, f1: float) -> list[tuple[float, float]]:
        """Computes the points at which F1_AP, 2ap / (a + p), is `f1`, up to preservation 1."""
        first = max(f1 / (2 - f1), self.low)
        kept = [first + (1 - first) * (n / 40) ** 2 for n in range(41)]  # closer where it is steep
        return [(self.x(p), self.y(f1 * p / (2 * p - f1))) for p in kept]

    def circles(self) -> list[list[Dot]]:
        """Groups of rows that lie together, the largest first, so that smaller circles are drawn above."""
        circles, size = defaultdict(list), self.side / _NEAR
        for dot in self.dots:
            circles[round(self.x(dot.preservation) / size), round(self.y(dot.after) / size)].append(dot)
        return sorted(circles.values(), key=len, reverse=True)

    def means(self) -> list[tuple[str, float, float, str]]:
        """Lists the means before and after as (kind, x, y, label); means that lie near share one label."""
        start, end = (self.x(1), self.y(self.before)), (self.x(self.kept), self.y(self.after))
        apart = abs(end[0] - start[0]) > 120 or abs(end[1] - start[1]) > 18
        labels = ("mean before", "mean after") if apart else ("", "mean before and after")
        return [("before", *start, labels[0]), ("after", *end, labels[1])]
