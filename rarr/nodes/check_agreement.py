"""Step 4: checks whether each evidence implies the same answer to its query as the text does."""

import asyncio

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.card_reading import Kept, read_cards
from rarr.ledger.card_report import asked_spans, card_checks, queries_of
from rarr.ledger.sentence_support import moved_queries
from rarr.records import Agreement, Check, Evidence, Notice, Query
from rarr.state import State, failure, usable
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.trace_spans import about


async def check_agreement(state: State, runtime: Runtime[Components]) -> State:
    """Has a card filled for each sentence, where a reader of cards does this.

    Without it: checks whether each passage gives the same answer to its query as the text.

    After an edit, it repeats only the stale checks. A failed check is `unknown`, which is no verdict.
    Stale checks stay in the state, before the checks that replace them.
    """
    if runtime.context.card_reader is not None:
        return await _read_cards(state, runtime.context)
    queries = {
        query.id: query for query in await work(moved_queries, state["queries"], state.get("edits", []))
    }
    pairs = [(queries[it.query_id], it) for it in unchecked(state)]
    checked = await asyncio.gather(*(_checked(state, runtime.context, *pair) for pair in pairs))
    return {
        "checks": [*state.get("checks", []), *(check for check, _ in checked)],
        "warnings": [notice for _, notice in checked if notice is not None],
    }


async def _read_cards(state: State, components: Components) -> State:
    """Fills a card for each sentence for which this round kept evidence, and makes checks of them.

    A later round shows what it kept, and what the card of an earlier round cites; the rest was read before.
    """
    spans = await work(asked_spans, state)
    asked = await work(queries_of, state, spans)
    kept, number = state.get("kept") or _kept_by_query(state), state.get("round", 1)
    earlier = {Span(card.start, card.end): card for card in state.get("cards", [])}
    places = [
        span
        for span in spans
        if number == 1 or any(query.round == number and kept.get(query.id) for query in asked[span])
    ]
    by_place = {
        span: [
            *(it for query in asked[span] if query.round == number for it in kept.get(query.id, ())),
            *(earlier[span].cited if span in earlier else ()),
        ]
        for span in places
    }
    read = await read_cards(state, places, Kept(usable(state), by_place), components)
    # A sentence that could not be read again keeps its card.
    again = [
        earlier.get(span, card) if card.verdict is None else card
        for span, card in zip(places, read.cards, strict=True)
    ]
    cards = [*(card for span, card in earlier.items() if span not in by_place), *again]
    cards.sort(key=lambda card: card.start)
    done = await work(card_checks, read.cards, state["text"], asked)
    checks = [*state.get("checks", []), *done]
    return {"cards": cards, "checks": checks, "controls": read.controls, "warnings": read.notices}


def _kept_by_query(state: State) -> dict[str, list[str]]:
    """Returns the evidence of each query, where the run has not merged it into excerpts."""
    kept: dict[str, list[str]] = {}
    for passage in usable(state):
        kept.setdefault(passage.query_id, []).append(passage.id)
    return kept


def unchecked(state: State) -> list[Evidence]:
    """Returns the evidence without a check on the current text.

    Suspicious evidence, and evidence in `settled`, which is not checked again after an edit, are left out.
    """
    done = {check.evidence_id for check in state.get("checks", []) if not check.stale}
    done.update(state.get("settled", []))
    return [passage for passage in usable(state) if passage.id not in done]


async def _checked(
    state: State, components: Components, query: Query, evidence: Evidence
) -> tuple[Check, Notice | None]:
    """Checks a query against a passage; a failure is `unknown`, with a notice."""
    notice = None
    try:
        with about(evidence.id):
            async with meter().in_time():
                agreement = await components.checker.check(state["text"], state["context"], query, evidence)
    except Exception as error:
        agreement = Agreement(verdict="unknown", reason=f"the check failed: {error}")
        notice = failure(
            "check_agreement", "agreement could not be checked", error, code="check_failed", query_id=query.id
        )
    return Check(**agreement.model_dump(), query_id=query.id, evidence_id=evidence.id), notice
