"""One run as a tree: calls of nodes, what came of them, questions to models, attempts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from rarr.errors import InputError
from rarr.records import Verdict
from rarr.traces.file import StoredSpan
from rarr.traces.trace import Trace
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entries import Entry, Wanted, took
from rarr.views.terminal.trace.head import head, stopped
from rarr.views.terminal.trace.outcomes import Ledger
from rarr.views.terminal.trace.questions import attempt, facts, failing, question, spent


class Choice(NamedTuple):
    """What of a run is shown; all of it by default."""

    node: str | None = None
    verdict: str | None = None
    errors: bool = False
    full: bool = False


def tree(trace: Trace, choice: Choice) -> list[Entry]:
    """The calls of nodes. Raises `InputError` for a node that was not called, and an unknown verdict."""
    _require_known(trace, choice)
    entries = _Calls(trace, full=choice.full).entries()
    if choice.verdict:
        entries = _checked(entries, choice.verdict)
    if choice.errors:
        entries = [kept for one in entries if (kept := one.pruned(_failed))]
    return [one for one in entries if choice.node in (None, one.fields["name"])]


def as_text(trace: Trace, choice: Choice) -> str:
    """The tree below what is known of the run."""
    entries = tree(trace, choice)
    lines = [
        line for one in [*head(trace), Entry("detail", "", whole=True), *entries] for line in one.lines()
    ]
    if not entries:
        lines.append(_nothing(choice))
    return "".join(f"{line}\n" for line in lines)


def as_json(trace: Trace, choice: Choice) -> dict[str, Any]:
    """The same for programs."""
    file = trace.file
    calls = [one.as_json() for one in tree(trace, choice)]
    known = {"run_id": file.run_id, "status": file.status, "started": file.started, "seconds": file.seconds}
    where = {"stopped": stopped(trace)} if file.status == "cut short" else {}
    return {**known, "error": file.error, **where, **file.facts.model_dump(mode="json"), "calls": calls}


class _Calls:
    """Makes the entries of a trace, each span once."""

    def __init__(self, trace: Trace, *, full: bool) -> None:
        self._trace, self._full, self._ledger = trace, full, Ledger()
        self._blocks = {one.number: f"{name}: " for name, spans in trace.blocks.items() for one in spans}

    def entries(self) -> list[Entry]:
        return [self._entry(one) for one in self._trace.calls]

    def _entry(self, span: StoredSpan) -> Entry:
        inner = [self._entry(one) for one in self._trace.inner[span.number]]
        match span.kind:
            case "ask":
                return question(self._trace, span, inner, full=self._full)
            case "request":
                return attempt(span, full=self._full)
            case "score":
                return _scored(span, inner, full=self._full)
            case "read":
                return _read(self._trace, span)
        return self._call(span, inner)

    def _call(self, span: StoredSpan, inner: list[Entry]) -> Entry:
        update = self._trace.body(span).get("update") or {}
        news = _together(self._ledger.news(update, full=self._full), inner)
        failed = bool(span.error) or span.kind == "failure"
        told = "  given up, and the run went on" if span.kind == "failure" else f"  {took(span.seconds)}"
        block = self._blocks.get(span.parent, "")
        text = f"{block}{span.name} {span.about}".rstrip() + told + spent(self._trace, span) + failing(span)
        about = frozenset([span.about]) if span.about else frozenset()
        return Entry(span.kind, one_line(text), about, failed, facts(span), tuple(news))


def _together(news: Sequence[Entry], inner: Sequence[Entry]) -> list[Entry]:
    """What came of a call, with the questions that led to it below it where they are for the same."""
    checks = {one.about for one in news if one.kind == "check"}
    above = [one for one in inner if one.about not in checks]
    below = [
        replace(one, inner=tuple(_belonging(inner, one.about))) if one.kind == "check" else one
        for one in news
    ]
    return [*above, *below]


def _belonging(inner: Sequence[Entry], ids: frozenset[str]) -> Iterator[Entry]:
    """What is for these, and is shown where they are: a later check of the same has questions of its own."""
    yield from (replace(one, about=frozenset()) for one in inner if one.about == ids)


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


def _read(trace: Trace, span: StoredSpan) -> Entry:
    block = trace.body(span).get("block")
    place = "" if block is None else f", characters {block.start} to {block.end}"
    about = frozenset([span.about]) if span.about else frozenset()
    fields = {**facts(span), "start": block and block.start, "end": block and block.end}
    return Entry(
        "read", one_line(f"read {span.name}{place}{failing(span)}"), about, bool(span.error), fields, ()
    )


def _checked(entries: Sequence[Entry], verdict: str) -> list[Entry]:
    """What belongs to the checks that came to this verdict."""
    checks = [one for call in entries for one in call.inner if _has(one, verdict)]
    evidence = frozenset(one.fields["evidence_id"] for one in checks)
    queries = frozenset(one.fields["query_id"] for one in checks)
    kept = []
    for call in entries:
        # A query has other evidence as well, and is edited for where some of it disagrees.
        edited = call.fields["name"] == "edit" and verdict != "disagrees"
        if left := call.pruned(_belongs(evidence if edited else evidence | queries, verdict)):
            kept.append(left)
    return kept


def _belongs(ids: frozenset[str], verdict: str) -> Wanted:
    def wanted(one: Entry) -> bool | None:
        if one.kind == "check":
            return _has(one, verdict)
        return bool(one.about & ids) if one.about and one.kind != "request" else None

    return wanted


def _has(check: Entry, verdict: str) -> bool:
    return check.kind == "check" and bool(check.fields["verdict"] == verdict)


def _failed(one: Entry) -> bool | None:
    return None if one.kind == "detail" else one.failed


def _require_known(trace: Trace, choice: Choice) -> None:
    verdicts = get_args(Verdict)
    if choice.verdict is not None and choice.verdict not in verdicts:
        raise InputError(f"unknown verdict {choice.verdict!r}: give one of {', '.join(verdicts)}")
    called = list(dict.fromkeys(one.name for one in trace.calls))
    if choice.node is not None and choice.node not in called:
        known = f"it called {', '.join(called)}" if called else "it called none"
        raise InputError(f"run {trace.run_id} called no node {choice.node!r}: {known}")


def _nothing(choice: Choice) -> str:
    if choice.errors:
        return "Nothing failed."
    return f"No check came to {choice.verdict}." if choice.verdict else "No node was called."
