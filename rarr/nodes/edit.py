"""Step 5: changes the text where evidence disagrees with it, as little as possible, or not at all."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from langgraph.runtime import Runtime

from rarr.components import Baseline, Components
from rarr.ledger.card_edits import with_card_edits
from rarr.ledger.card_report import queries_of
from rarr.ledger.edit_gate import decide
from rarr.ledger.editing_text import EditingText, Proposal
from rarr.ledger.source_weight import Side
from rarr.records import Check, Evidence, Notice
from rarr.settings import Kind, Settings
from rarr.state import State, failure, usable
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.trace_spans import about

_EMBEDDED_AT_ONCE = 16
"""Changes tried at once without a language model: each is a text, and the caches of texts hold 64."""


async def edit(state: State, runtime: Runtime[Components]) -> State:
    """Proposes edits where evidence disagrees, and applies those that the gate accepts.

    Different sentences are edited at the same time, and the queries about one sentence in the order of
    relevance. Each query gets one edit. An edit makes the checks that looked at its sentence stale: they are
    asked again before another edit of that sentence. With the scope `text`, edits are made for one evidence
    after another, up to the first that is accepted.
    """
    components = runtime.context
    if components.card_reader is not None:
        return await work(_card_edits, state, components.settings)
    if components.settings.scope == "text":
        return await _edit_in_order(state, components)
    editing = await work(EditingText, state)
    disputed = _disagreements(state, components.baseline)
    pending = [checks for checks in disputed if checks[0].query_id not in editing.tried]
    while wave := await work(editing.independent, pending):
        outcomes = await _proposals(editing, wave, state, components)
        again = await work(editing.apply, [outcome for outcome in outcomes if isinstance(outcome, Proposal)])
        editing.warnings += [outcome for outcome in outcomes if isinstance(outcome, Notice)]
        done = {checks[0].query_id for checks in wave} - again
        editing.tried += sorted(done)
        pending = [checks for checks in pending if checks[0].query_id not in done]
    return editing.update(stale=lambda check: check.query_id in editing.touched)


def _card_edits(state: State, settings: Settings) -> State:
    asked = queries_of(state, [Span(card.start, card.end) for card in state.get("cards", [])])
    return with_card_edits(
        state, {span: queries[0].id for span, queries in asked.items() if queries}, settings
    )


async def _edit_in_order(state: State, components: Components) -> State:
    """Edits for one evidence after another, in the order of the paper (Gao et al. 2023, section 3.3).

    Stops after an accepted edit: all evidence was checked on the text before it, so the checks of the
    evidence behind it become stale. The node runs again when they have been asked again.
    """
    editing = await work(EditingText, state)
    settled = list(state.get("settled", []))
    fresh = {check.evidence_id: check for check in state["checks"] if not check.stale}
    for passage in _ordered_evidence(state):
        if passage.id in settled:
            continue
        settled.append(passage.id)
        check = fresh.get(passage.id)
        if check is None or not _is_reason_to_edit(check, components.baseline):
            continue
        outcome = await _proposal(editing, [check], state, components)
        if isinstance(outcome, Notice):
            editing.warnings.append(outcome)
        elif outcome is not None:
            await work(editing.apply, [outcome])
            if outcome.decision.state == "accepted":
                break
    behind = {passage.id for passage in usable(state)} - set(settled) if editing.touched else set()
    update = editing.update(
        stale=lambda check: check.evidence_id in behind or check.query_id in editing.touched
    )
    return {**update, "settled": settled}


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


def _disagreements(state: State, baseline: Baseline) -> list[list[Check]]:
    """Returns for each query with a disagreement all its checks that are not stale, the most relevant first.

    The query with the most relevant disagreement comes first. In a baseline without agreement, every query
    with such checks counts.
    """
    relevance = {passage.id: passage.relevance for passage in state["evidence"]}
    by_query: dict[str, list[Check]] = defaultdict(list)
    for fresh in sorted(state["checks"], key=lambda check: -relevance[check.evidence_id]):
        if not fresh.stale:
            by_query[fresh.query_id].append(fresh)
    best = {
        query_id: max(relevance[check.evidence_id] for check in disputing)
        for query_id, checks in by_query.items()
        if (disputing := [check for check in checks if _is_reason_to_edit(check, baseline)])
    }
    ordered = sorted(best, key=lambda query_id: -best[query_id])
    return [by_query[query_id] for query_id in ordered]


async def _proposals(
    editing: EditingText, wave: Sequence[Sequence[Check]], state: State, components: Components
) -> list[Proposal | Notice | None]:
    """Asks for a change for the checks of each query in `wave`, as `_proposal` does, several at once."""
    free = asyncio.Semaphore(len(wave) if components.models else _EMBEDDED_AT_ONCE)

    async def proposal(checks: Sequence[Check]) -> Proposal | Notice | None:
        async with free:
            return await _proposal(editing, checks, state, components)

    return await asyncio.gather(*(proposal(checks) for checks in wave))


async def _proposal(
    editing: EditingText, checks: Sequence[Check], state: State, components: Components
) -> Proposal | Notice | None:
    """Asks the editor for a change and the gate for its decision; None if the editor makes no change.

    A failure becomes a notice.
    """
    text, context, settings = editing.text, state["context"], components.settings
    query = editing.query(checks[0].query_id)
    evidence = {passage.id: passage for passage in state["evidence"]}
    disputing = [check for check in checks if _is_reason_to_edit(check, components.baseline)]
    try:
        with about(query.id):
            async with meter().in_time():
                check = await work(_strongest, disputing, evidence, settings.source_kinds)
                source = evidence[check.evidence_id]
                change = await components.editor.edit(text, context, query, check, source)
                if change is None:
                    return None
                decision = await decide(
                    text, change, query, check, checks, state, editing.queries, components
                )
    except Exception as error:
        return failure("edit", "an edit could not be made", error, query_id=query.id)
    return Proposal(change, query.id, source.id, decision, check.reason, check.confidence)


def _strongest(
    disagreeing: Sequence[Check], evidence: dict[str, Evidence], kinds: Mapping[str, Kind]
) -> Check:
    """Selects the most relevant check for the answer whose sources weigh most."""
    answers: dict[str, list[Check]] = defaultdict(list)
    for check in disagreeing:
        answers[" ".join(check.evidence_answer.casefold().split())].append(check)

    def strength(answer: str) -> tuple[float, float]:
        passages = [evidence[check.evidence_id] for check in answers[answer]]
        return Side(passages, kinds).weight, max(passage.relevance for passage in passages)

    best = max(sorted(answers), key=strength)
    return max(answers[best], key=lambda check: evidence[check.evidence_id].relevance)
