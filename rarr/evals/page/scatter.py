"""Attribution against preservation: the rows, the mean before and after, and curves of equal F1_AP.

After figure 6.5 of Chen 2023. Before a revision all is preserved, so that `before` stands at the right edge.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import fmean
from typing import NamedTuple

from rarr.evals.page.charts import WIDE, drawing
from rarr.tools.text.markup import shown
from rarr.tools.text.nouns import counted

LEFT, RIGHT, TOP, HIGH = 54, 46, 36, 430
SIDE = WIDE - LEFT - RIGHT
BOTTOM = TOP + SIDE
CURVES = (0.2, 0.4, 0.6, 0.8, 0.9)
NEAR = 50
"""A side has as many places; rows of one place are drawn as one circle with their number."""
LABEL_WIDE, LABEL_HIGH = 120, 18
"""Means that lie nearer than this have one label."""
NAMED = 5
STEPS = {0.8: 4, 0.5: 5, 0.0: 5}
"""Where preservation may begin, since most revisions keep nearly all, and the steps from there to 1."""


class Dot(NamedTuple):
    """A row: where it lies, and its attribution before."""

    name: str
    preservation: float
    before: float
    after: float


class Plane(NamedTuple):
    """Where the chart has its values: preservation from `low` to 1 by attribution from 0 to 1."""

    low: float

    def x(self, preservation: float) -> float:
        return LEFT + SIDE * (preservation - self.low) / (1 - self.low)

    def y(self, attribution: float) -> float:
        return BOTTOM - SIDE * attribution


def scatter(dots: Sequence[Dot]) -> str:
    """The chart of at least one row."""
    before, after = fmean(dot.before for dot in dots), fmean(dot.after for dot in dots)
    kept = fmean(dot.preservation for dot in dots)
    plane = Plane(next(low for low in STEPS if min(dot.preservation for dot in dots) >= low))
    desc = (
        f"Of {counted(len(dots), 'row')}, mean attribution goes from {before:.2f} to {after:.2f} "
        f"and mean preservation from 1.00 to {kept:.2f}."
    )
    shapes = [_axes(plane), *(_curve(plane, f1) for f1 in CURVES)]
    shapes += [_circle(plane, together) for together in _together(plane, dots)]
    shapes.append(_move(plane, before, after, kept))
    return drawing("scatter", "Attribution against preservation", desc, HIGH, "\n".join(shapes))


def _axes(plane: Plane) -> str:
    lines, words, steps = f"M{LEFT} {TOP}V{BOTTOM}H{LEFT + SIDE}", "", STEPS[plane.low]
    for n in range(steps + 1):
        x, tick = LEFT + SIDE * n / steps, plane.low + (1 - plane.low) * n / steps
        lines += f"M{x:.1f} {BOTTOM}v5"
        words += f'<text x="{x:.1f}" y="{BOTTOM + 20}" text-anchor="middle">{tick:.2g}</text>'
    for n in range(6):
        y = plane.y(n / 5)
        lines += f"M{LEFT} {y:.1f}h-5"
        words += f'<text x="{LEFT - 9}" y="{y + 5:.1f}" text-anchor="end">{n / 5:.2g}</text>'
    return f'<path class="axis" d="{lines}"/>{words}{_labels()}'


def _labels() -> str:
    middle = TOP + SIDE / 2
    return (
        f'<text x="{LEFT + SIDE / 2:.1f}" y="{BOTTOM + 43}" text-anchor="middle">preservation</text>'
        f'<text x="14" y="{middle:.1f}" text-anchor="middle" transform="rotate(-90 14 {middle:.1f})">'
        f'attribution after</text><text class="faint" x="{WIDE}" y="14" text-anchor="end">'
        "dashed: equal F1_AP, as at the right</text>"
    )


def _curve(plane: Plane, f1: float) -> str:
    """Where 2ap / (a + p) is `f1`, from where it enters the chart to preservation 1, and labelled there."""
    first = max(f1 / (2 - f1), plane.low)
    kept = [first + (1 - first) * (n / 40) ** 2 for n in range(41)]  # closer where it is steep
    points = " ".join(f"{plane.x(p):.1f},{plane.y(f1 * p / (2 * p - f1)):.1f}" for p in kept)
    label = (
        f'<text class="faint" x="{WIDE}" y="{plane.y(f1 / (2 - f1)) + 5:.1f}" text-anchor="end">{f1}</text>'
    )
    return f'<polyline class="curve" points="{points}"/>{label}'


def _together(plane: Plane, dots: Iterable[Dot]) -> list[list[Dot]]:
    """Rows that lie together, those with most rows first, so that smaller circles are drawn above."""
    found, size = defaultdict(list), SIDE / NEAR
    for dot in dots:
        found[round(plane.x(dot.preservation) / size), round(plane.y(dot.after) / size)].append(dot)
    return sorted(found.values(), key=len, reverse=True)


def _circle(plane: Plane, dots: Sequence[Dot]) -> str:
    x, y = plane.x(fmean(dot.preservation for dot in dots)), plane.y(fmean(dot.after for dot in dots))
    radius = min(5 * sqrt(len(dots)), 16)
    names = ", ".join(shown(dot.name) for dot in dots[:NAMED])
    more = f" and {len(dots) - NAMED} more" if len(dots) > NAMED else ""
    shape = f'<circle class="row" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'
    if len(dots) > 1:
        shape += f'<text class="many" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{len(dots)}</text>'
    return f"<g><title>{names}{more}</title>{shape}</g>"


def _move(plane: Plane, before: float, after: float, kept: float) -> str:
    start, end = (plane.x(1), plane.y(before)), (plane.x(kept), plane.y(after))
    apart = abs(end[0] - start[0]) > LABEL_WIDE or abs(end[1] - start[1]) > LABEL_HIGH
    return (
        f'<path class="move" d="M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}"/>'
        f"{_diamond(*start, 'before', 'mean before' if apart else '')}"
        f"{_diamond(*end, 'after', 'mean after' if apart else 'mean before and after')}"
    )


def _diamond(x: float, y: float, name: str, label: str) -> str:
    shape = f'<path class="{name}" d="M{x:.1f} {y - 8:.1f}l8 8l-8 8l-8 -8z"/>'
    side, anchor = (-13, "end") if x > LEFT + SIDE / 2 else (13, "start")
    place = f'x="{x + side:.1f}" y="{y + 5:.1f}" text-anchor="{anchor}"'
    return f'{shape}<text class="mean" {place}>{label}</text>' if label else shape
