"""What stands above the tree of a run."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from rarr.traces.file import StoredSpan
from rarr.traces.trace import Trace
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entries import Entry, took

_TEXT = 160  # characters of the text that was revised


def head(trace: Trace) -> Iterator[Entry]:
    """What a run was given, what became of it, and what it spent."""
    file = trace.file
    when = datetime.fromtimestamp(file.started).strftime("%Y-%m-%d %H:%M:%S")
    took_ = "" if file.seconds is None else f", {took(file.seconds)}"
    yield Entry("detail", one_line(f"run {file.run_id}: {file.status}"))
    yield Entry("detail", one_line(f"{when}{took_}, rarr {file.facts.version}"))
    yield Entry("detail", _spent(trace))
    if file.facts.settings:
        settings = (f"{name}={value}" for name, value in file.facts.settings.items())
        yield Entry("detail", one_line(f"settings: {', '.join(settings)}"))
    if file.error:
        yield Entry("detail", one_line(f"error: {file.error}"))
    if file.status == "cut short":
        yield Entry("detail", one_line(f"it stopped {stopped(trace)}"))
    if file.facts.context:
        yield Entry("detail", f"context: “{one_line(file.facts.context, _TEXT)}”")
    yield Entry("detail", f"text: “{one_line(file.facts.original, _TEXT)}”")


def _spent(trace: Trace) -> str:
    asked = [one for one in trace.spans if one.kind == "request" and "tokens" in one.body]
    failed = sum(bool(one.error) for one in asked)
    sent, answered = (sum(one.body["tokens"][side] for one in asked) for side in (0, 1))
    failures = f" ({failed} failed)" if failed else ""
    return f"model calls: {len(asked)}{failures}, tokens: {sent} in, {answered} out"


def stopped(trace: Trace) -> str:
    """Where a run was that nobody ended: in what had begun, the innermost."""
    spans = {one.number: one for one in trace.spans}
    begun = [one for one in trace.spans if one.seconds is None]
    outer = {one.parent for one in begun}
    if places := [_place(one, spans) for one in begun if one.number not in outer]:
        return f"in {', '.join(dict.fromkeys(places))}"
    calls = [one.name for one in trace.calls]
    return f"after {calls[-1]}" if calls else "before its first node"


def _place(span: StoredSpan, spans: Mapping[int, StoredSpan]) -> str:
    """The node, the server that was asked there, and for what."""
    outer = span
    while outer.parent in spans and outer.kind not in ("node", "failure"):
        outer = spans[outer.parent]
    names = dict.fromkeys([outer.name, span.name])
    return one_line(f"{' > '.join(names)}{f' for {span.about}' if span.about else ''}")
