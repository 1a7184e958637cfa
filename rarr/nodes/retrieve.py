"""Step 2: finds passages of the best K documents for one query."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.state import Branch, State
from rarr.tools.models.run_budget import meter


async def retrieve(state: Branch, runtime: Runtime[Components]) -> State:
    """Searches for one query, and returns its passages. A search that finds nothing is not a failure.

    Raises the error of a failed search, which the graph turns into a warning.
    """
    query, settings = state["query"], runtime.context.settings
    async with meter().in_time():
        passages = await runtime.context.retriever.retrieve(query.text, settings.documents_per_query)
    return {"passages": {query.id: list(passages)}}
