"""Step 2: passages of the best K documents for one query."""

from langgraph.runtime import Runtime

from rarr.agent.components import Components
from rarr.agent.state import Branch


async def retrieve(state: Branch, runtime: Runtime[Components]) -> Branch:
    """Searches once; a failed search is the graph's to report, an empty one is an answer."""
    settings = runtime.context.settings
    passages = await runtime.context.retriever.retrieve(state["query"].text, settings.documents_per_query)
    return {"passages": list(passages)}
