"""Step 4: makes a card (a judgement) of each sentence; in the preset `paper`, checks each passage."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.card_reading import SENDING_S, CardReading, KeptEvidence
from rarr.ledger.card_report import checks_of_quotes, queries_by_sentence, sentences_to_read
from rarr.ledger.edit_gate import moved_queries
from rarr.ledger.evidence_selection import all_relevances
from rarr.records import Agreement, Check, Evidence, Notice, Query
from rarr.state import State, failure_notice, usable_evidence
from rarr.tools.concurrency import meanwhile, work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.trace_spans import spans_about


async def check_agreement(state: State, runtime: Runtime[Components]) -> State:
    """Asks the reader for a card of each sentence: its verdict, quotes and edits.

    Without a reader (preset `paper`), checks one passage after another, and stops at the first passage that
    disagrees with the text (Gao et al. 2023, section 3.3). After the edit, the node runs again on the edited
    text. If a check fails, its verdict is `unknown`.
    """
    components = runtime.context
    if components.card_reader is not None:
        return await _check_by_cards(state, components)
    checks, warnings = list(state.get("checks", [])), list[Notice]()
    queries = await work(moved_queries, state["queries"], state.get("edits", []))
    by_id = {query.id: query for query in queries}
    for passage in unchecked_evidence(state):
        check, notice = await _check_passage(state, components, by_id[passage.query_id], passage)
        checks.append(check)
        warnings += [notice] if notice else []
        if check.verdict == "disagrees" or not components.baseline.agreement:
            break
    return {"checks": checks, "warnings": warnings}


async def _check_by_cards(state: State, components: Components) -> State:
    """Makes a card of each sentence that has evidence of this round, and makes checks from the cards.

    In a later round, the reader sees the new evidence of this round, and the evidence that the earlier card
    of the sentence quotes. If no evidence is new for the sentence, the reader sees all evidence of the round.
    """
    asked = await work(lambda: queries_by_sentence(state, sentences_to_read(state)))
    kept, number = state.get("kept", {}), state.get("round", 1)
    earlier = {Span(card.start, card.end): card for card in state.get("cards", [])}
    by_place: dict[Span, list[str]] = {}
    for place, queries in asked.items():
        found = [it for query in queries if query.round == number for it in kept.get(query.id, ())]
        if card := earlier.get(place):
            found = [it for it in found if it not in card.shown] or found
            found += card.quoted_evidence_ids if found else ()
        if found or number == 1:
            by_place[place] = found
    places, evidence = list(by_place), KeptEvidence(usable_evidence(state), by_place)
    # The report needs the relevances. They are computed while the model reads.
    async with meanwhile(SENDING_S, all_relevances, state, components) as scored:
        read = await CardReading(state, evidence, components).read(places)
    pairs = zip(places, read["cards"], strict=True)
    # A sentence that could not be read again keeps its earlier card.
    cards = earlier | {span: card for span, card in pairs if card.verdict or span not in earlier}
    checks = [*state.get("checks", []), *await work(checks_of_quotes, read["cards"], state["text"], asked)]
    ordered = [cards[span] for span in sorted(cards)]
    if scored:  # else the node attribute scores again, and warns of a failure
        read["relevances"] = scored[0][0]
    return {**read, "cards": ordered, "checks": checks}


def unchecked_evidence(state: State) -> list[Evidence]:
    """Returns the usable evidence that has no check yet. Sorts the evidence by query, then best first."""
    done = {check.evidence_id for check in state.get("checks", [])}
    places = {query.id: number for number, query in enumerate(state["queries"])}
    found = [passage for passage in usable_evidence(state) if passage.id not in done]
    return sorted(found, key=lambda passage: places[passage.query_id])


async def _check_passage(
    state: State, components: Components, query: Query, evidence: Evidence
) -> tuple[Check, Notice | None]:
    """Checks whether text and passage give the same answer to the query; `unknown` if the check failed."""
    notice, checker = None, components.checker
    assert checker is not None  # the wiring requires its model
    try:
        with spans_about(evidence.id):
            async with meter().in_time():
                agreement = await checker.check(state["text"], state["context"], query, evidence)
    except Exception as error:
        agreement = Agreement(verdict="unknown", reason=f"the check failed: {error}")
        notice = failure_notice(
            "check_agreement", "agreement could not be checked", error, code="check_failed", query_id=query.id
        )
    return Check(**agreement.model_dump(), query_id=query.id, evidence_id=evidence.id), notice
