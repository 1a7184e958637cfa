"""Scores the queries against the passages of other queries, for the coverage of the report."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from rarr.components import Components
from rarr.ledger.evidence_selection import Place, place_of
from rarr.records import Evidence, Notice, Query
from rarr.state import State, failure, usable
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import span


async def all_relevances(
    state: State, components: Components
) -> tuple[dict[str, dict[str, float]], list[Notice]]:
    """Scores each query against the passages of all other queries (Gao et al. 2023, section 3.4).

    Returns the scores by query id and evidence id, with those of earlier rounds, and a notice for each query
    that could not be scored. A passage that is evidence for several queries is scored once, by the id of the
    first. A query that follows an edit up has only the passage of the edit, and is not scored.
    """
    relevances = _known(state)
    missing = {
        query: passages
        for query in state.get("queries", [])
        if not query.follows and (passages := _unscored(query, state, relevances.get(query.id, {})))
    }
    outcomes = await asyncio.gather(
        *(_scores(query, passages, components) for query, passages in missing.items()), return_exceptions=True
    )
    notices = list[Notice]()
    for (query, passages), scores in zip(missing.items(), outcomes, strict=True):
        if isinstance(scores, Exception):
            problem = "the report could not weigh the passages of other queries for this query"
            notices.append(
                failure("attribute", problem, scores, code="coverage_incomplete", query_id=query.id)
            )
        elif isinstance(scores, BaseException):
            raise scores
        else:
            new = {passage.id: score for passage, score in zip(passages, scores, strict=True)}
            relevances[query.id] = relevances.get(query.id, {}) | new
    return relevances, notices


def _known(state: State) -> dict[str, dict[str, float]]:
    """Returns the scores of earlier rounds, and those of passages that a query with the same words found."""
    relevances = {query_id: dict(scores) for query_id, scores in state.get("relevances", {}).items()}
    evidence = usable(state)
    by_words: dict[str, list[str]] = defaultdict(list)
    for query in state.get("queries", []):
        by_words[query.text].append(query.id)
    for alike in (ids for ids in by_words.values() if len(ids) > 1):
        for query_id in alike:
            scores = {
                it.id: it.relevance for it in evidence if it.query_id in alike and it.query_id != query_id
            }
            relevances[query_id] = scores | relevances.get(query_id, {})
    return relevances


def _unscored(query: Query, state: State, scored: Mapping[str, float]) -> list[Evidence]:
    """Returns a passage for each place that is not yet scored for the query."""
    evidence = usable(state)
    done = {place_of(passage) for passage in evidence if passage.query_id == query.id or passage.id in scored}
    others: dict[Place, Evidence] = {}
    for passage in evidence:
        others.setdefault(place_of(passage), passage)
    return [passage for place, passage in others.items() if place not in done]


async def _scores(query: Query, passages: Sequence[Evidence], components: Components) -> Sequence[float]:
    with span("score", "coverage", query.id):
        async with meter().in_time(meter().grace):
            return await components.reranker.score(query.text, passages)
