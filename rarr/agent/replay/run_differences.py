"""Compares two runs of a text: questions and answers, verdicts, edits and the final text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.records import Check, Edit, EditState, Evidence, Query, Verdict
from rarr.state import State
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace

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

    @property
    def none(self) -> bool:
        """True if verdicts, edits and the text are the same; prompts and answers may differ."""
        return not (self.verdicts or self.edits or (self.texts and self.texts[0] != self.texts[1]))


class _RunResults(NamedTuple):
    """Verdicts by query text and passage text, and edits by query text, of a run or of calls of a node."""

    verdicts: dict[tuple[str, str], tuple[Query, Evidence, Check]]
    edits: dict[str, tuple[Query, Edit]]


def run_changes(before: Trace, after: Trace, updates: Updates | None) -> Changes:
    """Compares two runs. With `updates`, compares only these calls of a node that ran again; None: all."""
    if updates is None:
        old, new = _results([before.state()]), _results([after.state()])
        asked = list(_asked(before, before.spans, after))
        texts = (before.state()["text"], after.state()["text"])
    else:
        calls = [call for call, _ in updates]
        old = _results([before.state_after(call) for call in calls], [before.state(call) for call in calls])
        new = _results([state for _, state in updates], [before.state(call) for call in calls])
        spans = [span for call in calls for span in before.within(call)]
        asked, texts = list(_asked(before, spans, after)), None
    return Changes(asked, _verdicts(old, new), _edits(old, new), texts)


def _results(states: Sequence[State], since: Sequence[State] = ()) -> _RunResults:
    """Collects the verdicts and edits of `states`; of several verdicts on one query and passage, the first.

    Later verdicts are about a text that edits have changed, and follow from the first. What the state of
    `since` with the same number had already is left out.
    """
    results = _RunResults({}, {})
    for number, state in enumerate(states):
        queries = {query.id: query for query in state.get("queries", [])}
        evidence = {passage.id: passage for passage in state.get("evidence", [])}
        earlier = since[number] if since else State()
        earlier_ids = {id(result) for result in (*earlier.get("checks", []), *earlier.get("edits", []))}
        for check in state.get("checks", []):
            if id(check) not in earlier_ids and check.query_id in queries and check.evidence_id in evidence:
                query, source = queries[check.query_id], evidence[check.evidence_id]
                results.verdicts.setdefault((query.text, source.text), (query, source, check))
        for edit in state.get("edits", []):
            if id(edit) not in earlier_ids and edit.query_id in queries:
                results.edits[queries[edit.query_id].text] = (queries[edit.query_id], edit)
    return results


def _verdicts(old: _RunResults, new: _RunResults) -> list[VerdictChange]:
    differing = []
    for key in {**old.verdicts, **new.verdicts}:
        before, after = old.verdicts.get(key), new.verdicts.get(key)
        if _verdict(before) != _verdict(after):
            query, evidence, _ = before or after or ()  # type: ignore[misc]  # one of them exists
            differing.append(VerdictChange(query, evidence, before and before[2], after and after[2]))
    return differing


def _verdict(result: tuple[Query, Evidence, Check] | None) -> Verdict | None:
    return result[2].verdict if result else None


def _edits(old: _RunResults, new: _RunResults) -> list[EditChange]:
    differing = []
    for key in {**old.edits, **new.edits}:
        before, after = old.edits.get(key), new.edits.get(key)
        if _edit(before) != _edit(after):
            query, _ = before or after or ()  # type: ignore[misc]  # one of them exists
            differing.append(EditChange(query, before and before[1], after and after[1]))
    return differing


def _edit(result: tuple[Query, Edit] | None) -> tuple[str, str, EditState] | None:
    return (result[1].old, result[1].new, result[1].state) if result else None


def _asked(before: Trace, spans: Sequence[StoredSpan], after: Trace) -> Iterator[AskChange]:
    """Yields the questions that differ. They are paired by record id, prompt name and order."""
    old, new = dict(_questions(before, spans)), dict(_questions(after, after.spans))
    for key in {**old, **new}:
        if old.get(key) != new.get(key):
            yield AskChange(key[0], key[1], old.get(key), new.get(key))


def _questions(
    trace: Trace, spans: Sequence[StoredSpan]
) -> Iterator[tuple[tuple[str, str, int], SentQuestion]]:
    counts: Counter[tuple[str, str]] = Counter()
    for span in spans:
        if span.kind == "ask" and span.seconds is not None:
            key = (span.about, span.name)
            counts[key] += 1
            outcome = [str(answer) for answer in span.body.get("answers", [])] or [span.error]
            yield (*key, counts[key]), SentQuestion(trace.rendered(span), tuple(outcome))
