"""Scores the queries against the passages of other queries, for the coverage of the report."""

from collections import defaultdict

from rarr.components import Components
from rarr.ledger.evidence_selection import Place, place_of
from rarr.ledger.query_scores import scores_by_query
from rarr.records import Evidence, Notice, Query
from rarr.state import State, failure, usable
from rarr.tools.concurrency import work


async def all_relevances(
    state: State, components: Components
) -> tuple[dict[str, dict[str, float]], list[Notice]]:
    """Scores each query against the passages of all other queries (Gao et al. 2023, section 3.4).

    Returns the scores by query id and evidence id, with those of earlier rounds, and a notice for each query
    that could not be scored. A passage that is evidence for several queries is scored once, by the id of the
    first. A query that follows an edit up has only the passage of the edit, and is not scored.
    """
    relevances, missing = await work(_to_score, state)
    outcomes = await scores_by_query("coverage", missing, components.reranker)
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


def _to_score(state: State) -> tuple[dict[str, dict[str, float]], dict[Query, list[Evidence]]]:
    """Returns the scores that are known, and by query the passages that lack a score."""
    relevances, evidence = _known(state), usable(state)
    others: dict[Place, Evidence] = {}
    for passage in evidence:
        others.setdefault(place_of(passage), passage)
    own: dict[str, set[Place]] = defaultdict(set)
    for passage in evidence:
        own[passage.query_id].add(place_of(passage))
    missing: dict[Query, list[Evidence]] = {}
    for query in (query for query in state.get("queries", []) if not query.follows):
        scored = relevances.get(query.id, {})
        done = own[query.id] | {place_of(passage) for passage in evidence if passage.id in scored}
        if passages := [passage for place, passage in others.items() if place not in done]:
            missing[query] = passages
    return relevances, missing


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
