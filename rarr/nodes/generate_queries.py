"""Step 1: makes queries about everything in the text that can be checked."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.components import Components, SearchTargets
from rarr.ledger.block_joining import NOTHING_TO_CHECK
from rarr.ledger.card_report import sentences_to_read
from rarr.ledger.edit_gate import unedited_place
from rarr.records import Query, Question
from rarr.state import State, numbered_id, usable_evidence
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span


async def generate_queries(state: State, runtime: Runtime[Components]) -> State:
    """Generates questions about the text, or in a later round about the sentences that lack support.

    Each question becomes a query with an id. Equal questions about the same part of the text become one
    query, and no query of an earlier round is repeated.
    """
    components = runtime.context
    current, number = state.get("queries", []), state.get("round", 1)
    generator, text, context = components.query_generator, state["text"], state["context"]
    shows_only_given = (
        bool(components.given) and not components.searches and components.card_reader is not None
    )
    async with meter().in_time():
        if number == 1 and shows_only_given:
            questions: Sequence[Question] = ()
        elif number == 1:
            questions = await generator.generate(text, context)
        else:
            lacking = SearchTargets(state["lacking"], _earlier_queries(state), await work(_findings, state))
            questions = await generator.target(text, context, lacking)
    lead = state.get("lead", 0)
    distinct = {
        (place.start, place.end, question.text.casefold()): (place, question.text)
        for question in questions
        if not lead or question.end > lead
        if (place := unedited_place(Span(max(question.start, lead), question.end), state.get("edits", [])))
    }
    for query in current:
        distinct.pop((query.start, query.end, query.text.casefold()), None)
    queries = [
        Query(id=numbered_id(state, "q", n), text=asked, start=place.start, end=place.end, round=number)
        for n, (place, asked) in enumerate(distinct.values(), start=len(current) + 1)
    ]
    is_asked = bool(queries) or shows_only_given
    if number == 1 and components.card_reader is not None:
        queries = await work(_with_all_sentences, queries, state)
    warnings = [NOTHING_TO_CHECK] if number == 1 and not (is_asked and queries) else []
    return {"queries": [*current, *queries], "round": number, "lacking": [], "warnings": warnings}


def _with_all_sentences(queries: Sequence[Query], state: State) -> list[Query]:
    """Adds a query for each sentence that has no query. No search is made for the added queries."""
    result, placed = list(queries), [(query.start, query.end) for query in queries]
    for span in sentences_to_read(state):
        if not any(start < span.end and span.start < end for start, end in placed):
            name = numbered_id(state, "q", len(result) + 1)
            result.append(Query(id=name, text=span.of(state["text"]), searched=False, **span._asdict()))
    return result


def _earlier_queries(state: State) -> list[str]:
    """Returns the texts of earlier queries about the sentences that lack support."""
    places = [unedited_place(span, state.get("edits", [])) for span in state["lacking"]]
    return [
        query.text
        for query in state["queries"]
        if any(place.overlaps(Span(query.start, query.end)) for place in places)
    ]


def _findings(state: State) -> list[str]:
    """Returns the lines that cards of unsupported sentences quote, and the titles of all other passages."""
    evidence = {passage.id: passage for passage in usable_evidence(state)}
    cards = [card for card in state.get("cards", []) if Span(card.start, card.end) in state["lacking"]]
    quoted = [(evidence[quote.evidence_id].title, quote.text) for card in cards for quote in card.quotes]
    lines = dict.fromkeys(f"{title}: {text}" for title, text in quoted)
    titles = dict.fromkeys(passage.title for passage in evidence.values())
    return [*lines, *(title for title in titles if title not in dict(quoted))]
