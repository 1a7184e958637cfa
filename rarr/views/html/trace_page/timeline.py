"""Computes the bars that show in time the calls of nodes and the questions to models."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rarr.records import Verdict
from rarr.traces.critical_path import supersteps
from rarr.traces.trace_file import StoredSpan
from rarr.views.html.trace_page.page_data import View, stopped

WIDE, HIGH = 1000, 24
_VERDICTS: dict[str, tuple[Verdict, ...]] = {
    "yes": ("agrees",),
    "no": ("disagrees",),
    "open": ("unknown",),
    "mixed": ("agrees", "disagrees"),
}
"""The verdicts of the checks that come from a card's verdict."""


class Bar(NamedTuple):
    """A rectangle in a row of the timeline, which is 1000 wide and 24 high. `look` is its CSS class."""

    look: str
    x: float
    y: float
    wide: float
    high: float


class Slow(NamedTuple):
    """A call on the critical path: its share of the whole time, and its last three questions on that path."""

    span: StoredSpan
    share: float
    asks: list[StoredSpan]


def slowest(view: View) -> list[Slow]:
    """Returns the four calls on the critical path that took longest, the longest first."""
    slow_calls = []
    for call in (call for call in view.path if call.kind == "node"):
        asks = [ask for ask in asks_of(call, view) if ask.number in view.critical]
        slow_calls.append(Slow(call, (stopped(call, view) - call.started) / view.seconds, asks[-3:]))
    return sorted(slow_calls, key=lambda slow: -slow.share)[:4]


def asks_of(span: StoredSpan, view: View) -> list[StoredSpan]:
    """Returns the questions that a node's call sent to models."""
    return list(view.trace.within(span, "ask"))


def steps(calls: Iterable[StoredSpan]) -> list[list[StoredSpan]]:
    """Groups calls by superstep, in the order of time. The spans of blocks are left out."""
    return supersteps([call for call in calls if call.kind != "block"])


def took(step: Sequence[StoredSpan], view: View) -> float | None:
    """Computes the seconds from the first begin to the last end; None if a span has not ended."""
    if any(span.seconds is None for span in step):
        return None
    return max(stopped(span, view) for span in step) - min(span.started for span in step)


def is_critical(spans: Iterable[StoredSpan], view: View) -> bool:
    """True if any of the spans is on the critical path."""
    return any(span.number in view.critical for span in spans)


def failed(spans: Iterable[StoredSpan]) -> int:
    """Counts the spans that have an error, or stand for a failure."""
    return sum(bool(span.error) or span.kind == "failure" for span in spans)


def data(span: StoredSpan, view: View, verdict: str) -> dict[str, Any]:
    """Returns the data attributes by which the filters of the page select a row."""
    wrong = any(part.error or part.seconds is None for part in (span, *view.trace.inner[span.number]))
    read = (_VERDICTS.get(sentence.verdict, ()) for sentence in view.reading(span).sentences)
    verdicts = dict.fromkeys(name for names in ((verdict,), *read) for name in names if name)
    return {
        "node": view.node_of(span),
        "verdict": " ".join(verdicts),
        "error": "1" if wrong or span.kind == "failure" else "",
    }


def lanes(span: StoredSpan, view: View) -> list[tuple[StoredSpan, ...]]:
    """Returns a lane (call, question) for each question of a call, or the lane (call,) without questions."""
    return [(span, ask) for ask in asks_of(span, view)] or [(span,)]


def bars(lanes: Sequence[tuple[StoredSpan, ...]], view: View) -> list[Bar]:
    """Computes the bars of lanes below each other. In a lane, a question lies upon the bar of its call."""
    high, shapes = HIGH / len(lanes), {}
    one_node = len(lanes) > 1 and lanes[0][0] is lanes[-1][0]
    for lane, spans in enumerate(lanes):
        for depth, span in enumerate(spans):
            critical, outer = span.number in view.critical, depth == 0 and len(spans) > 1
            if one_node and outer:  # drawn once, behind its questions
                shapes[span.number] = False, _bar(span, 0.0, HIGH, view, outer=True)
                continue
            tall = max(high, 3.0) if critical else high
            y = min(lane * high, HIGH - tall)
            shapes[span.number] = critical and not outer, _bar(span, y, tall, view, outer=outer)
    # Critical bars lie above their neighbours, and are tall enough to be seen among many bars.
    return [bar for _, bar in sorted(shapes.values(), key=lambda shape: shape[0])]


def _bar(span: StoredSpan, y: float, high: float, view: View, *, outer: bool) -> Bar:
    x = WIDE * (span.started - view.zero) / view.seconds
    wide = max(WIDE * (stopped(span, view) - span.started) / view.seconds, 3.0)
    state = "wrong" if span.error else "way" if span.number in view.critical else "plain"
    pad = min(0.15 * high, 1.0)
    look = f"{state} outer" if outer else state
    return Bar(look, min(x, WIDE - wide), y + pad, wide, high - 2 * pad)
