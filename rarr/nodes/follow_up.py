"""Step 5b: after an edit, asks about other places of the text that depend on the corrected value."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.dependent_spans import Dependent, PlacedEdit, dependents
from rarr.ledger.sentence_support import moved_back, moved_place, moved_queries
from rarr.records import Check, Edit, Evidence, Query
from rarr.state import State, named
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.blocks_and_sentences import Span, sentences


async def follow_up(state: State, runtime: Runtime[Components]) -> State:
    """Adds a query for each place that depends on the old value of an edit, with the evidence of the edit.

    Such places were computed from the value, repeat it, or draw a conclusion. A value that follows by
    arithmetic is a disagreement at once: the evidence has the corrected value, but need not have the value
    computed from it. All other places are for the checker.
    """
    return await work(_follow_ups, state, runtime.context)


def _follow_ups(state: State, components: Components) -> State:
    done = [edit.id for edit in state["edits"]]
    if not (components.settings.follow_up and components.baseline.agreement):
        return {"followed": done}
    queries, evidence, checks = list(state["queries"]), list(state["evidence"]), list(state["checks"])
    for dependent in _new_dependents(state):
        query = _follow_up_query(state, dependent, named(state, "q", len(queries) + 1))
        source = next(e for e in state["evidence"] if e.id == dependent.edit.evidence_id)
        queries.append(query)
        evidence.append(source.model_copy(update={"id": f"{query.id}.1", "query_id": query.id}))
        if dependent.computed:
            checks.append(_recomputed_check(state["text"], dependent, evidence[-1]))
    return {"queries": queries, "evidence": evidence, "checks": checks, "followed": done}


def untried(state: State) -> bool:
    """Is there a disagreement about a follow-up for which no edit was tried yet?"""
    asked = {query.id for query in state["queries"] if query.follows} - set(state.get("tried", []))
    return any(c.query_id in asked and c.verdict == "disagrees" and not c.stale for c in state["checks"])


def unfollowed(state: State) -> list[Edit]:
    """Returns the accepted edits whose dependent places were not looked for yet."""
    done = state.get("followed", [])
    return [edit for edit in state.get("edits", []) if edit.accepted and edit.id not in done]


def _new_dependents(state: State) -> list[Dependent]:
    """Finds the places that depend on the corrections so far.

    Places with which evidence agrees, and those that were followed up before, are left out.
    """
    accepted = [edit for edit in state["edits"] if edit.accepted]
    corrections = [
        PlacedEdit(edit, moved_place(Span(edit.start, edit.start + len(edit.new)), accepted[number:]))
        for number, edit in enumerate(accepted, start=1)
    ]
    answered = _answered_places(state)
    return [
        dependent for dependent in dependents(state["text"], corrections) if dependent.place not in answered
    ]


def _answered_places(state: State) -> set[Span]:
    """Returns the places with which evidence agrees, or that were followed up before."""
    agreed = {check.query_id for check in state["checks"] if not check.stale and check.verdict == "agrees"}
    return {
        Span(query.start, query.end)
        for query in moved_queries(state["queries"], state["edits"])
        if query.follows or query.id in agreed
    }


def _follow_up_query(state: State, dependent: Dependent, name: str) -> Query:
    """Writes the query about a dependent place: a question that leaves out the words of the place.

    The query has its place in the original text.
    """
    text, edit = state["text"], dependent.edit
    sentence = next((s for s in sentences(text) if s.overlaps(dependent.place)), dependent.place)
    sentence_with_gap = (
        f"{text[sentence.start : dependent.place.start]}…{text[dependent.place.end : sentence.end]}"
    )
    gap = sentence_with_gap if dependent.place != sentence else sentence.of(text)
    place = moved_back(dependent.place, state["edits"])
    return Query(
        id=name,
        text=f"It is {edit.new}, not {edit.old}. What follows for this: {' '.join(gap.split())}",
        start=place.start,
        end=place.end,
        round=state.get("round", 1),
        follows=edit.id,
    )


def _recomputed_check(text: str, dependent: Dependent, evidence: Evidence) -> Check:
    edit, old = dependent.edit, dependent.place.of(text)
    return Check(
        verdict="disagrees",
        text_answer=old,
        evidence_answer=dependent.new,
        reason=f"{old} was computed from {edit.old}, which {edit.id} corrected to {edit.new}",
        query_id=evidence.query_id,
        evidence_id=evidence.id,
    )
