"""Step 5: corrects the text where evidence disagrees with it, with changes as small as possible."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.card_report import queries_by_sentence
from rarr.ledger.edit_gate import apply_card_edits, moved_queries, paper_refusal_reason
from rarr.records import Change, Check, Edit
from rarr.state import State, failure_notice, numbered_id
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.trace_spans import spans_about


async def edit(state: State, runtime: Runtime[Components]) -> State:
    """Applies those edits of the cards that the gate (the checks in `ledger.edit_gate`) accepts.

    Without a reader of cards (preset `paper`): if the last checked passage disagrees with the text, asks a
    model for an edit, and applies the edit if the gate accepts it (Gao et al. 2023, section 3.3).
    """
    components = runtime.context
    if components.baseline.editor == "unedited":
        return {}
    if components.card_reader is not None:
        return await work(_apply_card_edits, state, components)
    checks = state.get("checks", [])
    if not checks or (components.baseline.agreement and checks[-1].verdict != "disagrees"):
        return {}
    editor = components.editor
    assert editor is not None  # the wiring requires its model
    check, text, edits = checks[-1], state["text"], state.get("edits", [])
    queries = {query.id: query for query in await work(moved_queries, state["queries"], edits)}
    evidence = next(it for it in state["evidence"] if it.id == check.evidence_id)
    try:
        with spans_about(check.query_id):
            async with meter().in_time():
                change = await editor.edit(text, state["context"], queries[check.query_id], check, evidence)
    except Exception as error:
        notice = failure_notice("edit", "an edit could not be made", error, query_id=check.query_id)
        return {"warnings": [notice]}
    if change is None:
        return {}
    made = await work(paper_edit, state, change, check)
    if not made.accepted:
        return {"edits": [*edits, made]}
    stale = check.model_copy(update={"stale": True})
    revised = text[: made.start] + made.new + text[made.end :]
    return {"text": revised, "edits": [*edits, made], "checks": [*checks[:-1], stale]}


def _apply_card_edits(state: State, components: Components) -> State:
    asked = queries_by_sentence(state, [Span(card.start, card.end) for card in state.get("cards", [])])
    query_ids = {span: queries[0].id for span, queries in asked.items() if queries}
    return apply_card_edits(state, query_ids)


def paper_edit(state: State, change: Change, check: Check) -> Edit:
    """Makes the record of an edit in the preset `paper`: accepted, or refused with the reason why."""
    outside = "the change is not in this part of the text" if change.start < state.get("lead", 0) else ""
    refusal = paper_refusal_reason(state["text"], change) or outside
    return Edit(
        id=numbered_id(state, "e", len(state.get("edits", [])) + 1),
        start=change.start,
        end=change.end,
        old=state["text"][change.start : change.end],
        new=change.new,
        query_id=check.query_id,
        evidence_id=check.evidence_id,
        state="refused" if refusal else "accepted",
        reason=refusal or check.reason,
    )
