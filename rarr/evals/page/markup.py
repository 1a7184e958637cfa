"""What the page of an evaluation has beside the markup of all pages."""

from collections.abc import Sequence

from rarr.evals.metrics import Measured
from rarr.tools.text.markup import listed


def interval(measured: Measured) -> str:
    """The interval, or a dash where there is none."""
    if measured.low is None or measured.high is None:
        return "–"
    return f"{measured.low:.2f} to {measured.high:.2f}"


def first(items: Sequence[str], most: int) -> str:
    """A list of the first of them, with how many more report.json has."""
    more = [f"and {len(items) - most:,} more, in report.json"] if len(items) > most else []
    return listed([*items[:most], *more])
