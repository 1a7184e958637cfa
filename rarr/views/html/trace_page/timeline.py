"""The calls of nodes and the questions to models as bars in time."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rarr.traces.critical import supersteps
from rarr.traces.file import StoredSpan
from rarr.views.html.trace_page.view import View, stopped

WIDE, HIGH = 1000, 24


class Bar(NamedTuple):
    """A rectangle, in the units of its row."""

    look: str
    x: float
    y: float
    wide: float
    high: float


class Slow(NamedTuple):
    """A call of the critical path: its share of the whole time, and the questions it waited for last."""

    span: StoredSpan
    share: float
    asks: list[StoredSpan]


def slowest(view: View) -> list[Slow]:
    """The calls of the critical path that took longest."""
    found = []
    for one in (call for call in view.path if call.kind == "node"):
        asks = [ask for ask in asks_of(one, view) if ask.number in view.critical]
        found.append(Slow(one, (stopped(one, view) - one.started) / view.seconds, asks[-3:]))
    return sorted(found, key=lambda one: -one.share)[:4]


def asks_of(span: StoredSpan, view: View) -> list[StoredSpan]:
    """The questions of a call."""
    return [one for one in view.trace.inner[span.number] if one.kind == "ask"]


def steps(calls: Iterable[StoredSpan]) -> list[list[StoredSpan]]:
    """The calls by superstep, in the order of time; those of blocks stand within their block."""
    return supersteps([one for one in calls if one.kind != "block"])


def took(step: Sequence[StoredSpan], view: View) -> float | None:
    """The time from the first begin to the last end; None where a span has not ended."""
    if any(one.seconds is None for one in step):
        return None
    return max(stopped(one, view) for one in step) - min(one.started for one in step)


def is_critical(spans: Iterable[StoredSpan], view: View) -> bool:
    """Is any of them on the critical path?"""
    return any(one.number in view.critical for one in spans)


def failed(spans: Iterable[StoredSpan]) -> int:
    """How many have an error, or stand for a failure."""
    return sum(bool(one.error) or one.kind == "failure" for one in spans)


def data(span: StoredSpan, view: View, verdict: str) -> dict[str, Any]:
    """What filters look at."""
    wrong = any(one.error or one.seconds is None for one in (span, *view.trace.inner[span.number]))
    return {
        "node": view.node_of(span),
        "verdict": verdict,
        "error": "1" if wrong or span.kind == "failure" else "",
    }


def lanes(span: StoredSpan, view: View) -> list[tuple[StoredSpan, ...]]:
    """A lane for each question of a call."""
    return [(span, one) for one in asks_of(span, view)] or [(span,)]


def bars(lanes: Sequence[tuple[StoredSpan, ...]], view: View) -> list[Bar]:
    """The lanes below each other; in each, what is within the first span lies upon it."""
    high, shapes = HIGH / len(lanes), {}
    one_node = len(lanes) > 1 and lanes[0][0] is lanes[-1][0]
    for lane, spans in enumerate(lanes):
        for depth, one in enumerate(spans):
            critical, outer = one.number in view.critical, depth == 0 and len(spans) > 1
            if one_node and outer:  # drawn once, behind its questions
                shapes[one.number] = False, _bar(one, 0.0, HIGH, view, outer=True)
                continue
            tall = max(high, 3.0) if critical else high
            y = min(lane * high, HIGH - tall)
            shapes[one.number] = critical and not outer, _bar(one, y, tall, view, outer=outer)
    # What is critical lies above its neighbours, tall enough to be seen among many.
    return [bar for _, bar in sorted(shapes.values(), key=lambda shape: shape[0])]


def _bar(span: StoredSpan, y: float, high: float, view: View, *, outer: bool) -> Bar:
    x = WIDE * (span.started - view.zero) / view.seconds
    wide = max(WIDE * (stopped(span, view) - span.started) / view.seconds, 3.0)
    state = "wrong" if span.error else "way" if span.number in view.critical else "plain"
    pad = min(0.15 * high, 1.0)
    look = f"{state} outer" if outer else state
    return Bar(look, min(x, WIDE - wide), y + pad, wide, high - 2 * pad)
