"""Compares two runs of a text: questions and answers, verdicts, edits and the final text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from rarr.records import Check, Edit, Evidence, Query
from rarr.state import State
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace

Key = TypeVar("Key")
Made = TypeVar("Made")
Updates = Sequence[tuple[StoredSpan, State]]
"""Calls of a node, each with the state after the node ran again."""


class SentQuestion(NamedTuple):
    """A question as it was sent to a model, and its parsed answers; `answers` is the error if it failed."""

    prompt: str
    answers: tuple[str, ...]


class AskChange(NamedTuple):
    """A question that two runs sent or answered differently; None for the run that did not send it.

    `about` is the id of its query or evidence, `name` the name of its prompt.
    """

    about: str
    name: str
    before: SentQuestion | None
    after: SentQuestion | None


class VerdictChange(NamedTuple):
    """A query and a passage whose first check has another verdict; None for a run without such a check."""

    query: Query
    evidence: Evidence
    before: Check | None
    after: Check | None


class EditChange(NamedTuple):
    """A query whose last edit differs between two runs; None for a run without an edit for it."""

    query: Query
    before: Edit | None
    after: Edit | None


class Changes(NamedTuple):
    """All changes between two runs. `texts` are both final texts; None if only one node ran again."""

    asked: list[AskChange]
    verdicts: list[VerdictChange]
    edits: list[EditChange]
    texts: tuple[str, str] | None


def run_changes(before: Trace, after: Trace, updates: Updates | None) -> Changes:
    """Compares two runs. With `updates`, compares only these calls of a node that ran again; None: all."""
    if updates is None:
        old, new, spans = [before.state()], [after.state()], before.spans
        since, texts = [State()], (old[0]["text"], new[0]["text"])
    else:
        calls, texts = [call for call, _ in updates], None
        old, new = [before.state_after(call) for call in calls], [state for _, state in updates]
        since = [before.state(call) for call in calls]
        spans = [span for call in calls for span in before.within(call)]
    asked, answered = dict(_questions(before, spans)), dict(_questions(after, after.spans))
    questions = [AskChange(*key[:2], one, other) for key, one, other in _paired(asked, answered)]
    verdicts = [
        VerdictChange(*found[:2], one and one[2], other and other[2])
        for _, one, other in _paired(_verdicts(old, since), _verdicts(new, since))
        if (found := one or other)
    ]
    edits = [
        EditChange(either[0], one and one[1], other and other[1])
        for _, one, other in _paired(_edits(old, since), _edits(new, since))
        if (either := one or other)
    ]
    return Changes(
        [change for change in questions if change.before != change.after],
        [it for it in verdicts if (it.before and it.before.verdict) != (it.after and it.after.verdict)],
        [change for change in edits if _shape(change.before) != _shape(change.after)],
        texts,
    )


def _paired(old: dict[Key, Made], new: dict[Key, Made]) -> list[tuple[Key, Made | None, Made | None]]:
    return [(key, old.get(key), new.get(key)) for key in {**old, **new}]


def _shape(edit: Edit | None) -> tuple[str, ...] | None:
    return (edit.old, edit.new, edit.state) if edit else None


def _verdicts(
    states: Sequence[State], since: Sequence[State]
) -> dict[tuple[str, str], tuple[Query, Evidence, Check]]:
    """Returns the first check of each query and passage, by their texts, that was not there `since`.

    Later verdicts are about a text that edits have changed, and follow from the first.
    """
    verdicts: dict[tuple[str, str], tuple[Query, Evidence, Check]] = {}
    for state, earlier in zip(states, since, strict=True):
        queries = {query.id: query for query in state.get("queries", [])}
        evidence = {passage.id: passage for passage in state.get("evidence", [])}
        known = set(map(id, earlier.get("checks", [])))
        for check in state.get("checks", []):
            if id(check) not in known and check.query_id in queries and check.evidence_id in evidence:
                query, source = queries[check.query_id], evidence[check.evidence_id]
                verdicts.setdefault((query.text, source.text), (query, source, check))
    return verdicts


def _edits(states: Sequence[State], since: Sequence[State]) -> dict[str, tuple[Query, Edit]]:
    """Returns the last edit of each query, by its text, that was not there `since`."""
    edits: dict[str, tuple[Query, Edit]] = {}
    for state, earlier in zip(states, since, strict=True):
        queries = {query.id: query for query in state.get("queries", [])}
        known = set(map(id, earlier.get("edits", [])))
        for edit in state.get("edits", []):
            if id(edit) not in known and edit.query_id in queries:
                edits[queries[edit.query_id].text] = (queries[edit.query_id], edit)
    return edits


def _questions(
    trace: Trace, spans: Sequence[StoredSpan]
) -> Iterator[tuple[tuple[str, str, int], SentQuestion]]:
    """Yields the questions by record id, prompt name and order, by which two runs are compared."""
    counts: Counter[tuple[str, str]] = Counter()
    for span in spans:
        if span.kind == "ask" and span.seconds is not None:
            key = (span.about, span.name)
            counts[key] += 1
            outcome = [str(answer) for answer in span.body.get("answers", [])] or [span.error]
            yield (*key, counts[key]), SentQuestion(trace.rendered(span), tuple(outcome))
