"""Writes traces as text: the list of runs, and a run as a tree of calls, questions and new records."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from textwrap import wrap
from typing import Any

from rarr.errors import InputError
from rarr.tools.text.wording import counted
from rarr.traces.span_body_schema import ReadBody
from rarr.traces.store import RunSummary
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace
from rarr.views.shown_text import one_line, visible

_NAME = 8  # characters of the name of a run, at least
_WIDTH, _NARROWEST = 80, 30  # columns
_QUOTE, _LONG = 160, 500  # characters
_DOCUMENTS = 5  # documents of a search that are shown, unless all are shown


def runs_table(runs: Sequence[RunSummary], names: Sequence[str]) -> str:
    """Writes a line of about 80 columns for each run. `names` are the names of all runs in the store."""
    rows: list[tuple[str, ...]] = [("run", "when", "took", "status", "calls", "tokens", "edits", "text")]
    for run in runs:
        length = _NAME
        while sum(name.startswith(run.run_id[:length]) for name in names) > 1 and length < len(run.run_id):
            length += 1
        when = datetime.fromtimestamp(run.started).strftime("%m-%d %H:%M")
        seconds = "" if run.seconds is None else took(run.seconds)
        short = one_line(run.run_id[:length])
        counts = (str(run.calls), str(run.tokens), str(run.edits))
        rows.append((short, when, seconds, run.status, *counts, run.facts.original))
    widths = [max(map(len, column)) for column in [*zip(*rows, strict=True)][:-1]]
    lines = []
    for *cells, text in rows:
        before = "".join(f"{cell.ljust(width)}  " for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{before}{one_line(text, max(12, _WIDTH - len(before)))}".rstrip())
    return "\n".join([*lines, ""])


def runs_json(runs: Sequence[RunSummary]) -> list[dict[str, Any]]:
    """Returns the list of runs as JSON values."""
    names = {
        "run_id": "run_id",
        "started": "started",
        "seconds": "seconds",
        "status": "status",
        "error": "error",
    }
    names |= {"model_calls": "calls", "tokens": "tokens", "edits": "edits"}
    return [
        {key: getattr(run, name) for key, name in names.items()} | {"text": run.facts.original}
        for run in runs
    ]


@dataclass(frozen=True)
class Entry:
    """A line of the tree, and the entries below it. With `whole`, the text's own lines are kept."""

    text: str
    failed: bool = False
    inner: tuple["Entry", ...] = ()
    whole: bool = False

    def failures(self) -> "Entry | None":
        """Returns the entry with only the failures below it; None if nothing failed."""
        inner = tuple(kept for entry in self.inner if (kept := entry.failures()))
        return Entry(self.text, self.failed, inner, self.whole) if self.failed or inner else None

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yields the entry and the entries below it as lines of at most 80 columns; long words stay whole."""
        indent = "  " * depth
        if self.whole:
            yield from ((indent + line).rstrip() for line in visible(self.text).split("\n"))
        else:
            width = max(_NARROWEST, _WIDTH - len(indent))
            rows = wrap(one_line(self.text), width, subsequent_indent="    ", break_long_words=False)
            yield from (indent + row for row in rows)
        for entry in self.inner:
            yield from entry.lines(depth + 1)


def as_text(trace: Trace, *, node: str | None = None, errors: bool = False, full: bool = False) -> str:
    """Writes the status and input of a run, and then its calls: of one node, or only what failed.

    `full`: prompts and answers as they are. Raises `InputError` for a node that was not called.
    """
    called = list(dict.fromkeys(call.name for call in trace.calls))
    if node is not None and node not in called:
        known = f"it called {', '.join(called)}" if called else "it called none"
        raise InputError(f"run {trace.run_id} called no node {node!r}: {known}")
    tree = _Tree(trace, full=full)
    entries = [(span.name, tree.entry(span)) for span in trace.calls]
    shown = [entry for name, entry in entries if node in (None, name)]
    if errors:
        shown = [kept for entry in shown if (kept := entry.failures())]
    if not shown:
        shown = [Entry("Nothing failed." if errors else "No node was called.")]
    head = [Entry(line) for line in _head(trace)]
    return "".join(f"{line}\n" for entry in (*head, Entry("", whole=True), *shown) for line in entry.lines())


def took(seconds: float | None) -> str:
    """Formats a duration in s or ms; None as "not ended"."""
    if seconds is None:
        return "not ended"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _head(trace: Trace) -> Iterator[str]:
    """Yields the status, the spending, the settings and the text of a run."""
    file = trace.file
    when = datetime.fromtimestamp(file.started).strftime("%Y-%m-%d %H:%M:%S")
    yield f"run {file.run_id}: {file.status}"
    yield f"{when}{'' if file.seconds is None else f', {took(file.seconds)}'}, rarr {file.facts.version}"
    asked = [span for span in trace.spans if span.kind == "request" and "tokens" in span.body]
    failed = sum(bool(span.error) for span in asked)
    sent, answered = (sum(span.body["tokens"][side] for span in asked) for side in (0, 1))
    failures = f" ({failed} failed)" if failed else ""
    yield f"model calls: {len(asked)}{failures}, tokens: {sent} in, {answered} out"
    if file.facts.settings:
        yield f"settings: {', '.join(f'{name}={value}' for name, value in file.facts.settings.items())}"
    if file.error:
        yield f"error: {file.error}"
    if file.status == "cut short":
        yield f"it stopped {_stopped(trace)}"
    if file.facts.context:
        yield f"context: “{one_line(file.facts.context, _QUOTE)}”"
    yield f"text: “{one_line(file.facts.original, _QUOTE)}”"


def _stopped(trace: Trace) -> str:
    """Tells where an unfinished run stopped: in its innermost unfinished spans, or after its last node."""
    spans = {span.number: span for span in trace.spans}
    begun = [span for span in trace.spans if span.seconds is None]
    outer = {span.parent for span in begun}
    places = {}
    for span in (span for span in begun if span.number not in outer):
        node = span
        while node.parent in spans and node.kind not in ("node", "failure"):
            node = spans[node.parent]
        about = f" for {span.about}" if span.about else ""
        places[" > ".join(dict.fromkeys([node.name, span.name])) + about] = True
    calls = [call.name for call in trace.calls]
    return f"in {', '.join(places)}" if places else f"after {calls[-1]}" if calls else "before its first node"


class _Tree:
    """Makes the entries of a trace. A record is shown where it is new, as updates repeat earlier records."""

    def __init__(self, trace: Trace, *, full: bool) -> None:
        self._trace, self._full, self._seen = trace, full, set[str]()
        self._blocks = {span.number: f"{name}: " for name, spans in trace.blocks.items() for span in spans}

    def entry(self, span: StoredSpan) -> Entry:
        inner = [self.entry(each) for each in self._trace.inner[span.number]]
        body = self._trace.body(span)
        title, details = f"{span.name} {span.about}".rstrip(), list[Entry]()
        match span.kind:
            case "ask":
                saved = ", a saved reading, not asked" if span.body.get("saved") else ""
                title = f"question {title}  {took(span.seconds)}{saved}{self._tokens(span)}"
                details = [*self._sent(body), *inner, *_read_as(body)] if self._full and body else inner
            case "request":
                title = f"{span.name}  {took(span.seconds)}{_spent(span.body)}"
                details = [*_raw(span.body)] if self._full else []
            case "score":
                title = (
                    f"scored {span.body.get('passages', '')} passages of {span.about}  {took(span.seconds)}"
                )
                best = span.body.get("best", ()) if self._full else ()
                details = [
                    *inner,
                    *(Entry("{3:.2f} {0}, {1} to {2}".format(*place, score)) for score, *place in best),
                ]
            case "read":
                reading = ReadBody() if "block" in body else ReadBody.model_validate(body)
                title = f"read {_counts(reading)}  {took(span.seconds)}"
                details = [*inner, *(_cards(reading) if self._full else ())]
            case kind:
                after = "given up, and the run went on" if kind == "failure" else took(span.seconds)
                title = f"{self._blocks.get(span.parent, '')}{title}  {after}{self._tokens(span)}"
                details = [*inner, *self._news(body.get("update") or {})]
        failing = f"  failed: {one_line(span.error, _QUOTE)}" if span.error else ""
        failed = bool(span.error) or span.kind == "failure"
        return Entry(title + failing, failed, tuple(details))

    def _tokens(self, span: StoredSpan) -> str:
        """Formats the sum of the tokens of the requests within a span; "" if none are known."""
        bodies = [request.body for request in self._trace.within(span, "request")]
        tokens = [body["tokens"][0] + body["tokens"][1] for body in bodies if "tokens" in body]
        return f", {counted(sum(tokens), 'token')}" if tokens else ""

    def _sent(self, body: Mapping[str, Any]) -> Iterator[Entry]:
        prompt = self._trace.prompts[body["prompt"]]
        named = f"prompt {prompt.name}, version {prompt.version}, hash {prompt.hash}"
        yield Entry(f"{named}, temperature {body['temperature']:g}")
        yield _whole("system:", prompt.system)
        yield _whole("user:", body["user"])

    def _news(self, update: Mapping[str, Any]) -> Iterator[Entry]:
        """Yields an entry for each record of the update that no earlier update had."""
        for query_id, documents in (update.get("passages") or {}).items():
            yield self._documents(query_id, documents)
        for key, words in _RECORDS.items():
            for record in update.get(key) or []:
                name = f"{key} {getattr(record, 'id', '') or words(record)}"
                if name not in self._seen and not getattr(record, "stale", False):
                    self._seen.add(name)
                    yield Entry(words(record))
        if report := update.get("report"):
            yield from (Entry(_sentence(n, each)) for n, each in enumerate(report.sentences, start=1))
        if scores := update.get("scores"):
            values = (
                f"{name} {value:.2f}" for name, value in scores.model_dump().items() if value is not None
            )
            yield Entry(", ".join(values).replace("_", " ") or "no scores: nothing could be judged")
        if lacking := update.get("lacking"):
            yield Entry(f"sentences that lack support still: {len(lacking)}")
        for notice in update.get("warnings") or []:
            yield Entry(f"warning: {notice.message}", failed=True)

    def _documents(self, query_id: str, documents: Sequence[Sequence[Any]]) -> Entry:
        shown = documents if self._full else documents[:_DOCUMENTS]
        inner = [
            Entry(one_line(f"{count} of {f'{title}, ' * bool(title)}{source}", _LONG))
            for source, title, count in shown
        ]
        if left := len(documents) - len(shown):
            inner.append(Entry(f"and {counted(left, 'more document')}: --full names them"))
        count = counted(sum(number for *_, number in documents), "passage")
        return Entry(
            f"found {count} in {counted(len(documents), 'document')} for {query_id}", inner=tuple(inner)
        )


def _counts(reading: ReadBody) -> str:
    missed = sum(control.missed for control in reading.controls)
    planted = f", {len(reading.controls)} planted, {missed} missed" if reading.controls else ""
    evidence = counted(len(reading.evidence), "passage")
    return f"{counted(len(reading.sentences), 'sentence')} beside {evidence}{planted}"


def _cards(reading: ReadBody) -> Iterator[Entry]:
    yield from (Entry(f"planted, {it.outcome}: {it.text}") for it in reading.controls)
    yield from (Entry(f"{it.verdict or 'no card'}: {it.text}") for it in reading.sentences)


def _spent(body: Mapping[str, Any]) -> str:
    if "tokens" not in body:
        return ""
    sent, answered, cached = body["tokens"]
    estimated = " (estimated)" * (any(body["tokens"]) and not any(body["said"]))
    cost = f", cost {body['cost']:.4f}" if body.get("cost") else ""
    known = f" ({cached:,} cached)" if cached else ""
    return f", {counted(sent, 'token')} in{known}, {answered:,} out{estimated}{cost}"


def _raw(body: Mapping[str, Any]) -> Iterator[Entry]:
    for role, content in body.get("more", ()):
        yield _whole(f"{role}:", content)
    for text in body.get("texts", ()):
        yield _whole("answer:", text)
    if message := body.get("answer"):
        yield _whole("the server said:", message)


def _read_as(body: Mapping[str, Any]) -> Iterator[Entry]:
    for answer in body.get("answers", ()):
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, indent=2)
        yield _whole("read as:", text)


def _whole(title: str, text: str) -> Entry:
    return Entry(title, inner=(Entry(text, whole=True),))


def _evidence(evidence: Any) -> str:
    doubt = f" suspicious, not used ({evidence.suspicious})" if evidence.suspicious else ""
    quote = f"“{one_line(evidence.text, _QUOTE)}” {evidence.source}"
    return one_line(f"{evidence.id} kept, relevance {evidence.relevance:.2f}{doubt}: {quote}", _LONG)


def _check(check: Any) -> str:
    answers = f": text “{check.text_answer}”, evidence “{check.evidence_answer}”"
    why = f"; {one_line(check.reason, _QUOTE)}" if check.reason else ""
    shown = answers if check.text_answer or check.evidence_answer else ""
    return f"{check.evidence_id} {check.verdict}{shown}{why}"


def _edit(edit: Any) -> str:
    change = f"“{one_line(edit.old, _QUOTE)}” → “{one_line(edit.new, _QUOTE)}”"
    return f"{edit.id} {change} {edit.state}: {edit.reason} ({edit.evidence_id})"


def _statement(draft: Any) -> str:
    cited = "".join(f"[{number}]" for number in draft.citations)
    refused = f" (refused: {'; '.join(draft.refused)})" if draft.refused else ""
    return f"{draft.status.replace('_', ' ')}: {one_line(draft.text, _QUOTE)} {cited}{refused}"


def _sentence(number: int, sentence: Any) -> str:
    support = "" if sentence.support is None else f" {sentence.support:.2f}"
    text = f"{number}. {sentence.status.replace('_', ' ')}{support}: {one_line(sentence.text, _QUOTE)}"
    if sentence.status == "unconfirmed" and sentence.open_words:
        text += one_line(f" (not confirmed: {', '.join(sentence.open_words)})", _QUOTE)
    return text


_RECORDS = {
    "queries": lambda query: f"{query.id}: {query.text}",
    "triples": lambda source: one_line(f"[{source.number}] {source.passage.text}", _QUOTE),
    "evidence": _evidence,
    "checks": _check,
    "edits": _edit,
    "statements": _statement,
}
"""How the records of an update are written, in the order of the pipeline."""
