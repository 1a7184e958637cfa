"""Small charts as inline SVG: shapes in the page's classes, numbers and words of ours.

Everything lies between 0 and 1. What was not judged is not drawn.
"""

from collections.abc import Mapping

from rarr.evals.metrics import Measured
from rarr.tools.text.nouns import counted

WIDE = 440
"""A chart's own width: on a phone its letters are still large enough to read."""


def drawing(name: str, title: str, desc: str, high: int, shapes: str) -> str:
    """A chart with its title and, for who cannot see it, what it shows in words."""
    said = f'aria-labelledby="{name}-t" aria-describedby="{name}-d"'
    return (
        f'<svg class="chart" viewBox="0 0 {WIDE} {high}" role="img" {said}>'
        f'<title id="{name}-t">{title}</title><desc id="{name}-d">{desc}</desc>\n{shapes}</svg>'
    )


def bar(measured: Measured, *, filled: bool = False) -> str:
    """A value with its interval on a line from 0 to 1; its numbers stand beside it in the table."""
    if measured.value is None:
        return ""
    x = _along(measured.value)
    shapes = '<path class="track" d="M5 10H125M5 6V14M125 6V14"/>'
    if filled:
        shapes += f'<rect class="fill" x="5" y="4" width="{x - 5:.1f}" height="12"/>'
    if measured.low is not None and measured.high is not None:
        low, high = _along(measured.low), _along(measured.high)
        shapes += f'<path class="whisker" d="M{low:.1f} 10H{high:.1f}M{low:.1f} 5V15M{high:.1f} 5V15"/>'
    if not filled:
        shapes += f'<circle class="value" cx="{x:.1f}" cy="10" r="4"/>'
    return f'<svg class="bar" viewBox="0 0 130 20" aria-hidden="true">{shapes}</svg>'


def stacked(counts: Mapping[str, int]) -> str:
    """How many sentences have each status, side by side, each in the class of its name."""
    total, x, shapes = sum(counts.values()), 0.0, ""
    for name, count in counts.items():
        shapes += _share(name, count, x, WIDE * count / total)
        x += WIDE * count / total
    words = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())
    return drawing("stacked", "Sentences by status", f"Of {counted(total, 'sentence')}: {words}.", 36, shapes)


def swatch(name: str) -> str:
    """The colour of a status, beside its name."""
    shape = f'<rect class="{name}" width="12" height="12"/>'
    return f'<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true">{shape}</svg>'


def _share(name: str, count: int, x: float, width: float) -> str:
    rect = f'<rect class="{name}" x="{x:.1f}" y="0" width="{width:.1f}" height="36"/>'
    if width > 34:
        rect += f'<text class="on" x="{x + width / 2:.1f}" y="24" text-anchor="middle">{count}</text>'
    return f"<g><title>{name.replace('_', ' ')}: {count}</title>{rect}</g>\n"


def _along(value: float) -> float:
    return 5 + 120 * value
