"""Shows a run as a tree: the calls of nodes, their new records, questions to models, and requests."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from rarr.errors import InputError
from rarr.records import Verdict
from rarr.tools.text.plurals_and_articles import counted
from rarr.traces.span_body_schema import ReadBody
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entry_tree import Entry, Wanted, took
from rarr.views.terminal.trace.model_questions import attempt, facts, failing, question, spent
from rarr.views.terminal.trace.node_updates import NewRecords
from rarr.views.terminal.trace.run_heading import head, stopped


class Choice(NamedTuple):
    """Selects the entries to show by node, verdict and errors; all by default. `full`: unshortened."""

    node: str | None = None
    verdict: str | None = None
    errors: bool = False
    full: bool = False


def tree(trace: Trace, choice: Choice) -> list[Entry]:
    """Makes the entries of the chosen calls of nodes.

    Raises `InputError` for a node that was not called, or an unknown verdict.
    """
    _require_known(trace, choice)
    entries = _Calls(trace, full=choice.full).entries()
    if choice.verdict:
        entries = _checked(entries, choice.verdict)
    if choice.errors:
        entries = [kept for entry in entries if (kept := entry.pruned(_failed))]
    return [entry for entry in entries if choice.node in (None, entry.fields["name"])]


def as_text(trace: Trace, choice: Choice) -> str:
    """Renders the status and input of the run, and then its tree, as text."""
    entries = tree(trace, choice)
    lines = [
        line for entry in [*head(trace), Entry("detail", "", whole=True), *entries] for line in entry.lines()
    ]
    if not entries:
        lines.append(_nothing(choice))
    return "".join(f"{line}\n" for line in lines)


def as_json(trace: Trace, choice: Choice) -> dict[str, Any]:
    """Returns the run and its tree as JSON values."""
    file = trace.file
    calls = [entry.as_json() for entry in tree(trace, choice)]
    known = {"run_id": file.run_id, "status": file.status, "started": file.started, "seconds": file.seconds}
    where = {"stopped": stopped(trace)} if file.status == "cut short" else {}
    return {**known, "error": file.error, **where, **file.facts.model_dump(mode="json"), "calls": calls}


class _Calls:
    """Makes the entries of a trace, each span once."""

    def __init__(self, trace: Trace, *, full: bool) -> None:
        self._trace, self._full, self._new_records = trace, full, NewRecords()
        self._blocks = {span.number: f"{name}: " for name, spans in trace.blocks.items() for span in spans}

    def entries(self) -> list[Entry]:
        return [self._entry(call) for call in self._trace.calls]

    def _entry(self, span: StoredSpan) -> Entry:
        inner = [self._entry(inner_span) for inner_span in self._trace.inner[span.number]]
        match span.kind:
            case "ask":
                return question(self._trace, span, inner, full=self._full)
            case "request":
                return attempt(span, full=self._full)
            case "score":
                return _scored(span, inner, full=self._full)
            case "read":
                return _read(self._trace, span, inner, full=self._full)
        return self._call(span, inner)

    def _call(self, span: StoredSpan, inner: list[Entry]) -> Entry:
        update = self._trace.body(span).get("update") or {}
        news = _together(self._new_records.news(update, full=self._full), inner)
        failed = bool(span.error) or span.kind == "failure"
        outcome = "  given up, and the run went on" if span.kind == "failure" else f"  {took(span.seconds)}"
        block = self._blocks.get(span.parent, "")
        text = (
            f"{block}{span.name} {span.about}".rstrip() + outcome + spent(self._trace, span) + failing(span)
        )
        about = frozenset([span.about]) if span.about else frozenset()
        return Entry(span.kind, one_line(text), about, failed, facts(span), tuple(news))


def _together(news: Sequence[Entry], inner: Sequence[Entry]) -> list[Entry]:
    """Orders the entries below a call. A question about the evidence of a check goes below that check."""
    checks = {entry.about for entry in news if entry.kind == "check"}
    above = [entry for entry in inner if entry.about not in checks]
    below = [
        replace(entry, inner=tuple(_belonging(inner, entry.about))) if entry.kind == "check" else entry
        for entry in news
    ]
    return [*above, *below]


def _belonging(inner: Sequence[Entry], ids: frozenset[str]) -> Iterator[Entry]:
    """Yields copies of the entries about exactly these ids.

    The copies have no ids, so that they are shown wherever the check above them is shown.
    """
    yield from (replace(entry, about=frozenset()) for entry in inner if entry.about == ids)


def _scored(span: StoredSpan, inner: Sequence[Entry], *, full: bool) -> Entry:
    count, best = span.body.get("passages"), span.body.get("best", ())
    text = f"scored {'' if count is None else f'{count} '}passages of {span.about}  {took(span.seconds)}"
    rows = [
        Entry("detail", one_line(f"{score:.2f} {source}, characters {start} to {end}"))
        for score, source, start, end in (best if full else ())
    ]
    fields = {**facts(span), **span.body}
    about = frozenset([span.about])
    return Entry("score", one_line(text + failing(span)), about, bool(span.error), fields, (*inner, *rows))


def _read(trace: Trace, span: StoredSpan, inner: Sequence[Entry], *, full: bool) -> Entry:
    body = trace.body(span)
    read = ReadBody() if "block" in body else ReadBody.model_validate(body)
    missed = sum(control.missed for control in read.controls)
    planted = f", {len(read.controls)} planted, {missed} missed" if read.controls else ""
    counts = f"{counted(len(read.sentences), 'sentence')} beside {counted(len(read.evidence), 'passage')}"
    text = f"read {counts}{planted}  {took(span.seconds)}{failing(span)}"
    rows = [f"planted, {it.outcome}: {it.text}" for it in read.controls]
    rows += [f"{it.verdict or 'no card'}: {it.text}" for it in read.sentences]
    details = [Entry("detail", one_line(row)) for row in rows] if full else []
    fields = {**facts(span), **read.model_dump(exclude={"warnings"})}
    return Entry("read", one_line(text), frozenset(), bool(span.error), fields, (*inner, *details))


def _checked(entries: Sequence[Entry], verdict: str) -> list[Entry]:
    """Cuts the tree of calls down to the checks with this verdict, their queries, evidence and edits."""
    checks = [check for call in entries for check in call.inner if _has(check, verdict)]
    evidence = frozenset(check.fields["evidence_id"] for check in checks)
    queries = frozenset(check.fields["query_id"] for check in checks)
    kept = []
    for call in entries:
        # An edit may be due to other evidence of the query, which disagrees, so it must match the evidence.
        edited = call.fields["name"] == "edit" and verdict != "disagrees"
        if left := call.pruned(_belongs(evidence if edited else evidence | queries, verdict)):
            kept.append(left)
    return kept


def _belongs(ids: frozenset[str], verdict: str) -> Wanted:
    def wanted(entry: Entry) -> bool | None:
        if entry.kind == "check":
            return _has(entry, verdict)
        return bool(entry.about & ids) if entry.about and entry.kind != "request" else None

    return wanted


def _has(check: Entry, verdict: str) -> bool:
    return check.kind == "check" and bool(check.fields["verdict"] == verdict)


def _failed(entry: Entry) -> bool | None:
    return None if entry.kind == "detail" else entry.failed


def _require_known(trace: Trace, choice: Choice) -> None:
    verdicts = get_args(Verdict)
    if choice.verdict is not None and choice.verdict not in verdicts:
        raise InputError(f"unknown verdict {choice.verdict!r}: give one of {', '.join(verdicts)}")
    called = list(dict.fromkeys(call.name for call in trace.calls))
    if choice.node is not None and choice.node not in called:
        known = f"it called {', '.join(called)}" if called else "it called none"
        raise InputError(f"run {trace.run_id} called no node {choice.node!r}: {known}")


def _nothing(choice: Choice) -> str:
    if choice.errors:
        return "Nothing failed."
    return f"No check came to {choice.verdict}." if choice.verdict else "No node was called."
