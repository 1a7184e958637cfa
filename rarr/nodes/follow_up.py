"""Step 5b: after an edit, ask what else in the text draws on the value that was corrected."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.dependents import Dependent, PlacedEdit, dependents
from rarr.ledger.support import moved_back, moved_place, moved_queries
from rarr.records import Check, Edit, Evidence, Query
from rarr.settings import Settings
from rarr.state import State, named
from rarr.tools.concurrency.worker import work
from rarr.tools.text.document import Span, sentences


async def follow_up(state: State, runtime: Runtime[Components]) -> State:
    """Queries about the places that draw on an old value, with the evidence of the edit.

    What follows by arithmetic is a disagreement at once: the evidence says what was corrected, and need not
    say what follows from it. Everything else is for the checker to tell.
    """
    return await work(_follow_ups, state, runtime.context.settings)


def _follow_ups(state: State, settings: Settings) -> State:
    done = [edit.id for edit in state["edits"]]
    if not (settings.follow_up and settings.agreement):
        return {"followed": done}
    queries, evidence, checks = list(state["queries"]), list(state["evidence"]), list(state["checks"])
    for one in _new_dependents(state):
        query = _follow_up_query(state, one, named(state, "q", len(queries) + 1))
        source = next(e for e in state["evidence"] if e.id == one.edit.evidence_id)
        queries.append(query)
        evidence.append(source.model_copy(update={"id": f"{query.id}.1", "query_id": query.id}))
        if one.computed:
            checks.append(_recomputed_check(state["text"], one, evidence[-1]))
    return {"queries": queries, "evidence": evidence, "checks": checks, "followed": done}


def untried(state: State) -> bool:
    """Is there a disagreement of a follow-up that no edit was asked for yet?"""
    asked = {query.id for query in state["queries"] if query.follows} - set(state.get("tried", []))
    return any(c.query_id in asked and c.verdict == "disagrees" and not c.stale for c in state["checks"])


def unfollowed(state: State) -> list[Edit]:
    """The accepted edits whose dependents nobody has asked about."""
    done = state.get("followed", [])
    return [edit for edit in state.get("edits", []) if edit.accepted and edit.id not in done]


def _new_dependents(state: State) -> list[Dependent]:
    """What draws on the corrections so far, without what a check already answered."""
    accepted = [edit for edit in state["edits"] if edit.accepted]
    corrections = [
        PlacedEdit(edit, moved_place(Span(edit.start, edit.start + len(edit.new)), accepted[number:]))
        for number, edit in enumerate(accepted, start=1)
    ]
    answered = _answered_places(state)
    return [one for one in dependents(state["text"], corrections) if one.place not in answered]


def _answered_places(state: State) -> set[Span]:
    """Places of which evidence says that they are right, or that were followed up before."""
    agreed = {check.query_id for check in state["checks"] if not check.stale and check.verdict == "agrees"}
    return {
        Span(query.start, query.end)
        for query in moved_queries(state["queries"], state["edits"])
        if query.follows or query.id in agreed
    }


def _follow_up_query(state: State, one: Dependent, name: str) -> Query:
    """A question that does not say what stands at the place, with its place in the original text."""
    text, edit = state["text"], one.edit
    sentence = next((s for s in sentences(text) if s.overlaps(one.place)), one.place)
    said = f"{text[sentence.start : one.place.start]}…{text[one.place.end : sentence.end]}"
    gap = said if one.place != sentence else sentence.of(text)
    place = moved_back(one.place, state["edits"])
    return Query(
        id=name,
        text=f"It is {edit.new}, not {edit.old}. What follows for this: {' '.join(gap.split())}",
        start=place.start,
        end=place.end,
        round=state.get("round", 1),
        follows=edit.id,
    )


def _recomputed_check(text: str, one: Dependent, evidence: Evidence) -> Check:
    edit, said = one.edit, one.place.of(text)
    return Check(
        verdict="disagrees",
        text_answer=said,
        evidence_answer=one.new,
        reason=f"{said} was computed from {edit.old}, which {edit.id} corrected to {edit.new}",
        query_id=evidence.query_id,
        evidence_id=evidence.id,
    )
