"""Step 2: finds passages of the best documents for each query."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Query
from rarr.state import State, failed_queries_update, for_each_query


async def retrieve(state: State, runtime: Runtime[Components]) -> State:
    """Searches for the queries of this round. Returns a state update with the passages of each query id.

    A search that finds nothing is not a failure. A search that fails becomes a warning.
    """
    retriever, most = runtime.context.retriever, runtime.context.settings.documents_per_query
    found = await for_each_query(
        "retrieve", queries_to_search(state), lambda query: retriever.retrieve(query.text, most)
    )
    passages = {name: list(it) for name, it in found.items() if not isinstance(it, Exception)}
    return {**failed_queries_update("retrieve", found), "passages": passages}


def queries_to_search(state: State) -> list[Query]:
    """Returns the queries of this round that need a search."""
    return [query for query in state["queries"] if query.round == state["round"] and query.searched]
