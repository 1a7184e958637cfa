"""Formats the figures, the failures, the calls and the timeline of a run, for the templates of its page."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, get_args

from rarr.records import EditState
from rarr.tools.pages.html_rendering import duration, number
from rarr.tools.text.wording import counted, grouped
from rarr.traces.critical_path import supersteps
from rarr.traces.trace_file import StoredSpan
from rarr.views.html.run_results import View, stopped

WIDE, HIGH = 1000, 24
_MOST = 8  # links to spans that failed in the same way
_KINDS = {"node": "call", "ask": "question", "request": "attempt", "score": "scoring", "read": "reading"}
_SHOWN_APART = ("passages", "text", "report", "scores")
_VERDICTS = {"yes": ("agrees",), "no": ("disagrees",), "open": ("unknown",), "mixed": ("agrees", "disagrees")}
"""The verdicts of the checks that come from a card's verdict."""


class Failure(NamedTuple):
    """Spans that failed in the same way: name, number in words, error, and the first spans to look at."""

    name: str
    times: str
    error: str
    places: list[StoredSpan]


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


def started(view: View) -> datetime:
    """Returns when the run began, in UTC."""
    return datetime.fromtimestamp(view.trace.file.started, UTC)


def figures(view: View) -> dict[str, str]:
    """Formats the figures of a run, such as edits, scores and cost, by name. A missing figure is ""."""
    revision, scores, file = view.trace.revision, view.scores, view.trace.file
    edits = Counter(edit.state for edit in view.edits)
    states = [state for state in get_args(EditState) if edits[state] or state != "suggested"]
    good = sum(sentence.status == "supported" for sentence in view.sentences)
    shown = {
        "Edits": ", ".join(f"{edits[state]} {state}" for state in states),
        "Sentences": f"{good} of {len(view.sentences)} supported" if view.sentences else "",
        "Attribution": f"{number(scores.attribution_before)} → {number(scores.attribution_after)}",
        "Preservation": number(scores.preservation),
        "F1_AP": number(scores.f1_ap),
        "Time": duration(view.seconds if file.seconds is None else file.seconds),
        "Queries": f"{len(view.queries)}, with {counted(len(view.evidence), 'passage')}",
    }
    if revision is None:
        requests = [span for span in view.spans if span.kind == "request" and span.body]
        shown["Model calls"] = f"{len(requests):,}"
    else:
        usage = revision.usage
        saved = f", {usage.saved_calls:,} saved" if usage.saved_calls else ""
        shown["Model calls"] = f"{usage.model_calls:,}{saved}"
        shown["Tokens"] = f"{usage.input_tokens:,} in, {usage.output_tokens:,} out"
        shown["Cost"] = money(usage.cost)
    return {name: value for name, value in shown.items() if not value.endswith(number(None))}


def warnings(view: View) -> list[str]:
    """Returns the warnings of the run, each once."""
    return grouped(view.warnings)


def failures(view: View) -> list[Failure]:
    """Collects the failed spans. Spans of the same kind and name with the same error are one failure."""
    alike: dict[tuple[str, str, str], list[StoredSpan]] = defaultdict(list)
    for span in view.spans:
        if span.error:
            alike[span.kind, span.name, span.error].append(span)
    failed = []
    for (kind, name, error), spans in alike.items():
        word = _KINDS.get(kind, kind)
        times = (
            f"{len(spans)} of {word}" if len(spans) > 1 else f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
        )
        places = {place.number: place for place in map(view.linkable, spans)}
        failed.append(Failure(name, times, error, [places[n] for n in sorted(places)[:_MOST]]))
    return failed


def plain_text(value: Any) -> str:
    """Writes a plain value as text: a string as it is, other values as JSON."""
    if isinstance(value, str):
        return value
    value = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def money(cost: float | None) -> str:
    """Writes a cost as text, in the unit of the prices; None as "not known"."""
    return "not known" if cost is None else f"{cost:.6g}"


def asked_for(body: Mapping[str, Any], sent: Sequence[Mapping[str, Any]]) -> str:
    """Formats the temperature, and the numbers of answers and tokens that the first request allowed."""
    parts = [f"temperature {body['temperature']:g}"] if body else []
    limits = [key for key in ("samples", "max_tokens") if sent and key in sent[0]]
    return " · ".join(parts + [f"{key.replace('_', ' ')} {sent[0][key]:,}" for key in limits])


def tokens(sent: Sequence[Mapping[str, Any]]) -> str:
    """Formats the sums of the tokens of all requests: in, out and cached."""
    counts = [body["tokens"] for body in sent if "tokens" in body]
    total = [sum(column) for column in zip(*counts, strict=True)]
    names = ("in", "out", "of these cached")
    return ", ".join(f"{count:,} {name}" for count, name in zip(total, names, strict=False) if count)


def cost(sent: Sequence[Mapping[str, Any]]) -> str:
    """Formats the cost of each request, joined with +."""
    return " + ".join(money(body["cost"]) for body in sent if "cost" in body)


def time(span: StoredSpan, requests: Sequence[StoredSpan]) -> str:
    """Tells how long a question took, and how long it waited for its turn or that it was not sent."""
    took = duration(span.seconds)
    if span.body.get("saved"):
        return f"{took} · a saved reading, not asked"
    if not requests:
        return f"{took} · never sent"
    wait = requests[0].started - span.started
    return f"{took} · waited {duration(wait)} for its turn" if wait > 0.001 else took


def written(update: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Lists the keys of the state that a node wrote, each with lines of (code of a warning or "", words)."""
    wrote = {name: value for name, value in update.items() if name not in _SHOWN_APART}
    lines = {name: _lines(value) for name, value in wrote.items() if value not in ([], {}, None)}
    if "text" in update:
        lines["text"] = [("", "changed")]
    if (report := update.get("report")) is not None:
        lines["report"] = [
            ("", f"{counted(len(report.sentences), 'sentence')}, coverage {report.coverage:.2f}")
        ]
    if (scores := update.get("scores")) is not None:
        lines["scores"] = [("", ", ".join(f"{k} {v:.2f}" for k, v in scores if v is not None))]
    return lines


def _lines(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, (list, tuple)):
        if all(hasattr(notice, "message") for notice in value):
            return [(notice.code, notice.message) for notice in value]
        if len(value) > 12 or not all(isinstance(item, str) for item in value):
            return [("", f"{len(value)}")]
        return [("", ", ".join(value))]
    return [("", plain_text(value))]


def slowest(view: View) -> list[Slow]:
    """Returns the four calls on the critical path that took longest, the longest first."""
    slow_calls = []
    for call in (call for call in view.path if call.kind == "node"):
        asks = [ask for ask in view.trace.within(call, "ask") if ask.number in view.critical]
        slow_calls.append(Slow(call, (stopped(call, view) - call.started) / view.seconds, asks[-3:]))
    return sorted(slow_calls, key=lambda slow: -slow.share)[:4]


def steps(calls: Iterable[StoredSpan]) -> list[list[StoredSpan]]:
    """Groups calls by superstep, in the order of time. The spans of blocks are left out."""
    return supersteps([call for call in calls if call.kind != "block"])


def took(step: Sequence[StoredSpan], view: View) -> float | None:
    """Computes the seconds from the first begin to the last end; None if a span has not ended."""
    if any(span.seconds is None for span in step):
        return None
    return max(stopped(span, view) for span in step) - min(span.started for span in step)


def failed(spans: Iterable[StoredSpan]) -> int:
    """Counts the spans that have an error, or stand for a failure."""
    return sum(bool(span.error) or span.kind == "failure" for span in spans)


def data(span: StoredSpan, view: View) -> dict[str, Any]:
    """Returns the data attributes by which the filters of the page select a row."""
    wrong = any(part.error or part.seconds is None for part in (span, *view.trace.inner[span.number]))
    verdicts = [_VERDICTS.get(sentence.verdict, ()) for sentence in view.reading(span).sentences]
    return {
        "node": view.node_of(span),
        "verdict": " ".join(dict.fromkeys(name for names in verdicts for name in names)),
        "error": "1" if wrong or span.kind == "failure" else "",
    }


def lanes(span: StoredSpan, view: View) -> list[tuple[StoredSpan, ...]]:
    """Returns a lane (call, question) for each question of a call, or the lane (call,) without questions."""
    return [(span, ask) for ask in view.trace.within(span, "ask")] or [(span,)]


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
    return Bar(f"{state} outer" if outer else state, min(x, WIDE - wide), y + pad, wide, high - 2 * pad)
