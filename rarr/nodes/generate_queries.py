"""Step 1: questions that cover every checkable aspect of the text."""

from langgraph.runtime import Runtime

from rarr.agent.components import Components
from rarr.agent.state import State
from rarr.records import Notice, Query
from rarr.tools.meter import meter

NOTHING_TO_CHECK = Notice(
    code="nothing_to_check",
    message="no checkable claim was found in the text: it is returned as it is",
    node="generate_queries",
)


async def generate_queries(state: State, runtime: Runtime[Components]) -> State:
    """Asks the generator, merges questions about the same characters in the same words, numbers the rest."""
    async with meter().in_time():
        questions = await runtime.context.query_generator.generate(state["text"], state["context"])
    distinct = {(question.start, question.end, question.text.casefold()): question for question in questions}
    queries = [
        Query(id=f"q{number}", text=question.text, start=question.start, end=question.end)
        for number, question in enumerate(distinct.values(), start=1)
    ]
    return {"queries": queries, "warnings": [] if queries else [NOTHING_TO_CHECK]}
