"""Scores the passages of many queries with the reranker of a run."""

import asyncio
import heapq
from collections.abc import Mapping, Sequence

from rarr.components import BatchReranker, Reranker
from rarr.records import Passage, Query
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import TraceSpan, span

Scored = Sequence[float] | BaseException
"""The scores of one query, or the error that it met."""


async def scores_by_query(
    name: str, wanted: Mapping[Query, Sequence[Passage]], reranker: Reranker, *, best: int = 0
) -> list[Scored]:
    """Scores the passages of each query, in one call where the reranker can.

    Each query has a span with this name in the trace, with its `best` passages where that is above 0.
    """
    if not isinstance(reranker, BatchReranker):
        calls = (_scored(name, query, wanted[query], reranker, best) for query in wanted)
        return await asyncio.gather(*calls, return_exceptions=True)
    found: list[Scored] = []
    try:
        async with meter().in_time(meter().grace):
            all_scores = await reranker.score_all([(query.text, wanted[query]) for query in wanted])
    except Exception as error:
        return [error for _ in wanted]
    for (query, passages), scores in zip(wanted.items(), all_scores, strict=True):
        with span("score", name, query.id) as scoring:
            _note_best(scoring, scores, passages, best)
        found.append(scores)
    return found


async def _scored(
    name: str, query: Query, passages: Sequence[Passage], reranker: Reranker, best: int
) -> Sequence[float]:
    with span("score", name, query.id) as scoring:
        async with meter().in_time(meter().grace):
            scores = await reranker.score(query.text, passages)
        _note_best(scoring, scores, passages, best)
    return scores


def _note_best(scoring: TraceSpan, scores: Sequence[float], passages: Sequence[Passage], most: int) -> None:
    """Notes score, source, start and end of the best passages: some of them may be rejected."""
    if most:
        pairs = heapq.nlargest(most, zip(scores, passages, strict=True), key=lambda pair: pair[0])
        best = [(score, passage.source, passage.start, passage.end) for score, passage in pairs]
        scoring.body.update(passages=len(passages), best=best)
