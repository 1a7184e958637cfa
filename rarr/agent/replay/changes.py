"""What another prompt or model changed: questions and answers, verdicts, edits and the text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.records import Check, Edit, EditState, Evidence, Query, Verdict
from rarr.state import State
from rarr.traces.file import StoredSpan
from rarr.traces.trace import Trace

Updates = Sequence[tuple[StoredSpan, State]]
"""Calls of a node, each with the state after it was run again."""


class Asked(NamedTuple):
    """A question to a model as it was sent, and what came back: parsed answers, else errors."""

    prompt: str
    answers: tuple[str, ...]


class AskChange(NamedTuple):
    """A question that was sent otherwise, or answered otherwise; None: there was none."""

    about: str
    name: str
    before: Asked | None
    after: Asked | None


class VerdictChange(NamedTuple):
    """What a passage was first found to say of a query; None: it was not asked."""

    query: Query
    evidence: Evidence
    before: Check | None
    after: Check | None


class EditChange(NamedTuple):
    """The last edit for a query; None: there was none."""

    query: Query
    before: Edit | None
    after: Edit | None


class Changes(NamedTuple):
    """All of it. `texts` are the final texts, None where the run was not run on to its end."""

    asked: list[AskChange]
    verdicts: list[VerdictChange]
    edits: list[EditChange]
    texts: tuple[str, str] | None

    @property
    def none(self) -> bool:
        """Did nothing change but, perhaps, the words of prompts and answers?"""
        return not (self.verdicts or self.edits or (self.texts and self.texts[0] != self.texts[1]))


class _Ledger(NamedTuple):
    """What a run, or calls of a node, came to, by what it is about."""

    verdicts: dict[tuple[str, str], tuple[Query, Evidence, Check]]
    edits: dict[str, tuple[Query, Edit]]


def changes(before: Trace, after: Trace, updates: Updates | None) -> Changes:
    """`updates`: the calls that were run again alone; None where all of the run was."""
    if updates is None:
        old, new = _ledger([before.state()]), _ledger([after.state()])
        asked = list(_asked(before, before.spans, after))
        texts = (before.state()["text"], after.state()["text"])
    else:
        calls = [call for call, _ in updates]
        old = _ledger([before.state_after(call) for call in calls], [before.state(call) for call in calls])
        new = _ledger([state for _, state in updates], [before.state(call) for call in calls])
        spans = [span for call in calls for span in before.within(call)]
        asked, texts = list(_asked(before, spans, after)), None
    return Changes(asked, _verdicts(old, new), _edits(old, new), texts)


def _ledger(states: Sequence[State], since: Sequence[State] = ()) -> _Ledger:
    """Of what is in `since` already, nothing; of several verdicts on one pair the first.

    The others are on a text that edits have changed, and follow from these.
    """
    found = _Ledger({}, {})
    for number, state in enumerate(states):
        queries = {one.id: one for one in state.get("queries", [])}
        evidence = {one.id: one for one in state.get("evidence", [])}
        earlier = since[number] if since else State()
        known = {id(one) for one in (*earlier.get("checks", []), *earlier.get("edits", []))}
        for check in state.get("checks", []):
            if id(check) not in known and check.query_id in queries and check.evidence_id in evidence:
                query, source = queries[check.query_id], evidence[check.evidence_id]
                found.verdicts.setdefault((query.text, source.text), (query, source, check))
        for edit in state.get("edits", []):
            if id(edit) not in known and edit.query_id in queries:
                found.edits[queries[edit.query_id].text] = (queries[edit.query_id], edit)
    return found


def _verdicts(old: _Ledger, new: _Ledger) -> list[VerdictChange]:
    found = []
    for key in {**old.verdicts, **new.verdicts}:
        before, after = old.verdicts.get(key), new.verdicts.get(key)
        if _verdict(before) != _verdict(after):
            query, evidence, _ = before or after or ()  # type: ignore[misc]  # one of them is there
            found.append(VerdictChange(query, evidence, before and before[2], after and after[2]))
    return found


def _verdict(said: tuple[Query, Evidence, Check] | None) -> Verdict | None:
    return said[2].verdict if said else None


def _edits(old: _Ledger, new: _Ledger) -> list[EditChange]:
    found = []
    for key in {**old.edits, **new.edits}:
        before, after = old.edits.get(key), new.edits.get(key)
        if _edit(before) != _edit(after):
            query, _ = before or after or ()  # type: ignore[misc]  # one of them is there
            found.append(EditChange(query, before and before[1], after and after[1]))
    return found


def _edit(said: tuple[Query, Edit] | None) -> tuple[str, str, EditState] | None:
    return (said[1].old, said[1].new, said[1].state) if said else None


def _asked(before: Trace, spans: Sequence[StoredSpan], after: Trace) -> Iterator[AskChange]:
    """Questions are paired by what they are about, and by their order."""
    old, new = dict(_questions(before, spans)), dict(_questions(after, after.spans))
    for key in {**old, **new}:
        if old.get(key) != new.get(key):
            yield AskChange(key[0], key[1], old.get(key), new.get(key))


def _questions(trace: Trace, spans: Sequence[StoredSpan]) -> Iterator[tuple[tuple[str, str, int], Asked]]:
    counts: Counter[tuple[str, str]] = Counter()
    for span in spans:
        if span.kind == "ask" and span.seconds is not None:
            key = (span.about, span.name)
            counts[key] += 1
            said = [str(one) for one in span.body.get("answers", [])] or [span.error]
            yield (*key, counts[key]), Asked(trace.rendered(span), tuple(said))
