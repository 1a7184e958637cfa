"""Makes the lines above the tree of a run: its status, spending and input."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entry_tree import Entry, took

_TEXT = 160  # characters of the text that was revised


def head(trace: Trace) -> Iterator[Entry]:
    """Yields lines with the status, the spending, the settings and the text of a run."""
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
    asked = [request for request in trace.spans if request.kind == "request" and "tokens" in request.body]
    failed = sum(bool(request.error) for request in asked)
    sent, answered = (sum(request.body["tokens"][side] for request in asked) for side in (0, 1))
    failures = f" ({failed} failed)" if failed else ""
    return f"model calls: {len(asked)}{failures}, tokens: {sent} in, {answered} out"


def stopped(trace: Trace) -> str:
    """Tells where an unfinished run stopped: in its innermost unfinished spans, or after its last node."""
    spans = {span.number: span for span in trace.spans}
    begun = [span for span in trace.spans if span.seconds is None]
    outer = {span.parent for span in begun}
    if places := [_place(span, spans) for span in begun if span.number not in outer]:
        return f"in {', '.join(dict.fromkeys(places))}"
    calls = [call.name for call in trace.calls]
    return f"after {calls[-1]}" if calls else "before its first node"


def _place(span: StoredSpan, spans: Mapping[int, StoredSpan]) -> str:
    """Formats the node of a span, its own name, and the id of the query or evidence it is about."""
    outer = span
    while outer.parent in spans and outer.kind not in ("node", "failure"):
        outer = spans[outer.parent]
    names = dict.fromkeys([outer.name, span.name])
    return one_line(f"{' > '.join(names)}{f' for {span.about}' if span.about else ''}")
