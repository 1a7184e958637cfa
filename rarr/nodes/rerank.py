"""Step 3: keep the J passages that are most relevant to each query, each place of a source once."""

import asyncio
from collections.abc import Sequence

from langgraph.runtime import Runtime

from rarr.agent.components import Components
from rarr.agent.state import State, failure, unsearched
from rarr.records import Evidence, Passage, Query
from rarr.tools.meter import meter


async def rerank(state: State, runtime: Runtime[Components]) -> State:
    """Scores the passages of all queries at once. One that fails costs its own query's evidence."""
    found = state.get("passages", {})
    queries = [query for query in state["queries"] if found.get(query.id)]
    outcomes = await asyncio.gather(
        *(_ranked(query, found[query.id], runtime.context) for query in queries), return_exceptions=True
    )
    update: State = {"evidence": [], "warnings": [], "unsearched": {}}
    for query, kept in zip(queries, outcomes, strict=True):
        if isinstance(kept, Exception):
            update["warnings"].append(failure("rerank", "rerank failed", kept, query_id=query.id))
            update["unsearched"] |= unsearched(query.id, kept)
        elif isinstance(kept, BaseException):
            raise kept
        else:
            update["evidence"] += kept
    return update


async def _ranked(query: Query, passages: Sequence[Passage], components: Components) -> list[Evidence]:
    async with meter().in_time():
        scores = await components.reranker.score(query.text, passages)
    return _kept(query, passages, scores, components.settings.evidence_per_query)


def _kept(query: Query, passages: Sequence[Passage], scores: Sequence[float], most: int) -> list[Evidence]:
    """The best, by their scores. Ties keep the retriever's order."""
    ranked = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
    kept: list[tuple[float, Passage]] = []
    for score, passage in ranked:
        if len(kept) == most:
            break
        if score > 0 and not any(_same_place(passage, other) for _, other in kept):
            kept.append((score, passage))
    return [
        Evidence(**passage.model_dump(), id=f"{query.id}.{rank}", query_id=query.id, relevance=score)
        for rank, (score, passage) in enumerate(kept, start=1)
    ]


def _same_place(one: Passage, other: Passage) -> bool:
    """Windows overlap by design; the better-ranked one stands for its place."""
    overlap = one.source == other.source and one.start < other.end and other.start < one.end
    return overlap or one.text == other.text
