"""Step 5: changes the text where evidence disagrees with it, as little as possible, or not at all."""

from collections import defaultdict
from collections.abc import Iterator

from langgraph.runtime import Runtime

from rarr.components import Baseline, Components
from rarr.ledger.card_report import queries_of
from rarr.ledger.edit_gate import decided, with_card_edits
from rarr.ledger.sentence_support import moved_queries
from rarr.records import Check, Edit, Evidence, Notice
from rarr.settings import Settings
from rarr.state import State, failure, usable
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.trace_spans import about


async def edit(state: State, runtime: Runtime[Components]) -> State:
    """Applies the edits of the cards that the gate accepts.

    Without a reader of cards: edits for one evidence after another, in the order of the paper (Gao et al.
    2023, section 3.3), up to the first edit that is accepted. The checks of the evidence behind it were made
    on the text before the edit, so they become stale; the node runs again when they have been asked again.
    """
    components = runtime.context
    if components.baseline.editor == "unedited":
        return {}
    if components.card_reader is not None:
        return await work(_card_edits, state, components.settings)
    edits, warnings, settled = list(state.get("edits", [])), list[Notice](), list(state.get("settled", []))
    fresh = {check.evidence_id: check for check in state["checks"] if not check.stale}
    for passage in _ordered_evidence(state):
        if passage.id in settled:
            continue
        settled.append(passage.id)
        check = fresh.get(passage.id)
        if check is None or not _is_reason_to_edit(check, components.baseline):
            continue
        outcome = await _edit(state, check, passage, len(edits), components)
        if isinstance(outcome, Notice):
            warnings.append(outcome)
        elif outcome is not None:
            edits.append(outcome)
            if outcome.accepted:
                break
    return {**_edited(state, edits, settled), "edits": edits, "settled": settled, "warnings": warnings}


def _card_edits(state: State, settings: Settings) -> State:
    asked = queries_of(state, [Span(card.start, card.end) for card in state.get("cards", [])])
    return with_card_edits(
        state, {span: queries[0].id for span, queries in asked.items() if queries}, settings
    )


def _ordered_evidence(state: State) -> Iterator[Evidence]:
    """Yields the evidence that is not suspicious, query by query; of a query in the order of `rerank`."""
    by_query: dict[str, list[Evidence]] = defaultdict(list)
    for passage in usable(state):
        by_query[passage.query_id].append(passage)
    for query in state["queries"]:
        yield from by_query[query.id]


def _is_reason_to_edit(check: Check, baseline: Baseline) -> bool:
    """Is the check a reason to edit? In a baseline without agreement, every check is."""
    return check.verdict == "disagrees" or not baseline.agreement


async def _edit(
    state: State, check: Check, evidence: Evidence, edits: int, components: Components
) -> Edit | Notice | None:
    """Asks the editor for a change, and the gate about it; None if the editor makes no change."""
    queries = moved_queries(state["queries"], state.get("edits", []))
    query = next(query for query in queries if query.id == check.query_id)
    try:
        with about(query.id):
            async with meter().in_time():
                change = await components.editor.edit(state["text"], state["context"], query, check, evidence)
    except Exception as error:
        return failure("edit", "an edit could not be made", error, query_id=query.id)
    if change is None:
        return None
    return await work(decided, state["text"], change, check, state, edits, components.settings)


def _edited(state: State, edits: list[Edit], settled: list[str]) -> State:
    """Puts an accepted last edit into the text; marks its check and those behind it as stale."""
    if len(edits) == len(state.get("edits", [])) or not edits[-1].accepted:
        return {"text": state["text"], "checks": state["checks"]}
    last, text = edits[-1], state["text"]
    behind = {passage.id for passage in usable(state)} - set(settled) | {last.evidence_id}
    checks = [
        check.model_copy(update={"stale": True}) if check.evidence_id in behind else check
        for check in state["checks"]
    ]
    return {"text": text[: last.start] + last.new + text[last.end :], "checks": checks}
