"""Step 1: asks questions that cover every checkable aspect of the text."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.ledger.sentence_support import moved_back
from rarr.records import Query
from rarr.state import State, named
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.warning_lines import NOTHING_TO_CHECK


async def generate_queries(state: State, runtime: Runtime[Components]) -> State:
    """Asks about the text, in a later round about the sentences that lack support, and numbers the questions.

    Questions in the same words about the same characters become one query. No query is asked again.
    """
    current, number = state.get("queries", []), state.get("round", 1)
    generator, text, context = runtime.context.query_generator, state["text"], state["context"]
    async with meter().in_time():
        if number == 1:
            questions = await generator.generate(text, context)
        else:
            asked = [query.text for query in current]
            questions = await generator.target(text, context, state["lacking"], asked)
    lead = state.get("lead", 0)
    distinct = {
        (place.start, place.end, question.text.casefold()): (place, question.text)
        for question in questions
        if not lead or question.end > lead
        if (place := moved_back(Span(max(question.start, lead), question.end), state.get("edits", [])))
    }
    for query in current:
        distinct.pop((query.start, query.end, query.text.casefold()), None)
    queries = [
        Query(id=named(state, "q", n), text=asked, start=place.start, end=place.end, round=number)
        for n, (place, asked) in enumerate(distinct.values(), start=len(current) + 1)
    ]
    warnings = [NOTHING_TO_CHECK] if number == 1 and not queries else []
    return {"queries": [*current, *queries], "round": number, "lacking": [], "warnings": warnings}
