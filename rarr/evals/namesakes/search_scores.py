"""Searches for the queries of sets, and scores the rankings of a search and of rerankers behind it."""

from collections.abc import Callable, Collection, Mapping, Sequence

from rarr.components import Reranker, Retriever
from rarr.evals.metrics import (
    Measured,
    RankedQuery,
    accuracy_at,
    all_correct,
    by_gap,
    entity_confusion,
    mean_reciprocal_rank,
)
from rarr.evals.namesakes.corpus_documents import document_of
from rarr.evals.namesakes.records import NameQuery, NameSet, Task
from rarr.records import Passage, Record

DEPTH = 20
"""Documents that a search returns for a query."""
OnQuery = Callable[[int, int], None]


class SearchScores(Record):
    """The scores of a search. `accuracy` and `confusion` are of the queries about heads, tails, and all."""

    accuracy: dict[str, Measured]
    accuracy_at_5: dict[str, Measured]
    confusion: dict[str, Measured]
    all_correct: Measured
    reciprocal_rank: Measured
    by_gap: dict[str, Measured]


async def rankings(
    sets: Sequence[NameSet],
    search: Retriever,
    rerankers: Mapping[str, Reranker | None],
    *,
    tasks: Collection[Task],
    on_query: OnQuery,
) -> dict[str, dict[Task, list[RankedQuery]]]:
    """Returns the ranked queries of each task by each reranker; None keeps the order of the search.

    Raises `RetrievalError` or `ModelError` at the first failure: a benchmark over a part of its queries would
    be another benchmark.
    """
    asked = [(each, query) for each in sets for query in each.queries if query.task in tasks]
    documents = sorted({name for each in sets for member in each.members for name in member.documents})
    ranked: dict[str, dict[Task, list[RankedQuery]]] = {name: {} for name in rerankers}
    for number, (each, query) in enumerate(asked, start=1):
        text = query.text.replace("[SEP]", " ")
        passages = await search.retrieve(text, DEPTH)
        for name, reranker in rerankers.items():
            ordered = passages if reranker is None else await _reranked(reranker, text, passages)
            sources = dict.fromkeys(passage.source for passage in ordered)
            ranking = tuple(document_of(source, documents) for source in sources)
            ranked[name].setdefault(query.task, []).append(ranked_query(each, query, ranking))
        on_query(number, len(asked))
    return ranked


async def _reranked(reranker: Reranker, text: str, passages: Sequence[Passage]) -> list[Passage]:
    if not passages:
        return []
    scores = await reranker.score(text, passages)
    order = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
    return [passage for _, passage in order]


def ranked_query(each: NameSet, query: NameQuery, ranking: tuple[str, ...]) -> RankedQuery:
    """Joins a query of a set with the ranking of documents that a search gave for it."""
    (member,) = [member for member in each.members if member.entity_id == query.entity_id]
    own = frozenset(member.documents)
    others = frozenset(name for other in each.members for name in other.documents) - own
    gold = frozenset(query.gold)
    return RankedQuery(each.id, member.entity_id, member.is_head, member.popularity, gold, others, ranking)


def search_scores(queries: Sequence[RankedQuery]) -> SearchScores:
    """Computes all scores of a search over ranked queries."""
    groups = {
        "all": queries,
        "head": [query for query in queries if query.is_head],
        "tail": [query for query in queries if not query.is_head],
    }
    return SearchScores(
        accuracy={name: accuracy_at(group) for name, group in groups.items()},
        accuracy_at_5={name: accuracy_at(group, k=5) for name, group in groups.items()},
        confusion={name: entity_confusion(group) for name, group in groups.items()},
        all_correct=all_correct(queries),
        reciprocal_rank=mean_reciprocal_rank(queries),
        by_gap=dict(by_gap(queries)),
    )
