"""Step 2: finds passages of the best K documents for each query, for all queries at once."""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Passage, Query
from rarr.state import State, failure_update
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import span


async def retrieve(state: State, runtime: Runtime[Components]) -> State:
    """Searches for the queries of this round, and returns their passages by query id.

    A search that finds nothing is not a failure. A search that fails becomes a warning.
    """
    asked = queries_to_search(state)
    found = await asyncio.gather(*(_searched(query, runtime.context) for query in asked))
    update = State(passages={}, warnings=[], unsearched={})
    for query, passages in zip(asked, found, strict=True):
        if isinstance(passages, Exception):
            failed = failure_update("retrieve", "retrieve failed", passages, query.id)
            update["warnings"] += failed["warnings"]
            update["unsearched"] |= failed["unsearched"]
        else:
            update["passages"][query.id] = list(passages)
    return update


def queries_to_search(state: State) -> list[Query]:
    """Returns the queries of this round that need a search."""
    return [query for query in state["queries"] if query.round == state["round"] and query.searched]


async def _searched(query: Query, components: Components) -> Sequence[Passage] | Exception:
    try:
        with span("search", "retrieve", query.id):
            async with meter().in_time():
                return await components.retriever.retrieve(
                    query.text, components.settings.documents_per_query
                )
    except Exception as error:
        return error
