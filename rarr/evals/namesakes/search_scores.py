"""Searches for the queries of sets, and scores the rankings of a search and of rerankers behind it."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

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


class SearchScores(Record):
    """The scores of a search. `accuracy` and `confusion` are of the queries about heads, tails, and all."""

    accuracy: dict[str, Measured]
    accuracy_at_5: dict[str, Measured]
    confusion: dict[str, Measured]
    all_correct: Measured
    reciprocal_rank: Measured
    by_gap: dict[str, Measured]


class AskedQuery(NamedTuple):
    """A query, and the set that it belongs to."""

    name_set: NameSet
    query: NameQuery

    @property
    def id(self) -> str:
        """The id of the query."""
        return self.query.id

    def ranked(self, ranking: tuple[str, ...]) -> RankedQuery:
        """Joins the query with the documents that a search ranked for it."""
        members, own_id = self.name_set.members, self.query.entity_id
        (subject,) = [member for member in members if member.entity_id == own_id]
        own = frozenset(subject.documents)
        others = frozenset(name for member in members for name in member.documents) - own
        gold = frozenset(self.query.gold)
        return RankedQuery(
            self.name_set.id,
            own_id,
            subject.is_head,
            subject.popularity,
            gold,
            others,
            ranking,
            self.query.text,
        )


def asked_queries(sets: Sequence[NameSet], tasks: Collection[Task]) -> list[AskedQuery]:
    """Lists the queries of these tasks."""
    return [AskedQuery(each, query) for each in sets for query in each.queries if query.task in tasks]


class ComparedSearch:
    """A search with rerankers behind it. A reranker that is None keeps the order of the search."""

    def __init__(
        self, search: Retriever, rerankers: Mapping[str, Reranker | None], sets: Sequence[NameSet]
    ) -> None:
        self._search, self._rerankers = search, rerankers
        self._documents = sorted(
            {name for each in sets for member in each.members for name in member.documents}
        )

    async def rankings(self, query: NameQuery) -> dict[str, tuple[str, ...]]:
        """Returns the documents for a query, best first, by the name of the reranker.

        A document of no set has the address of its passage. Raises `RetrievalError` or `ModelError`.
        """
        text = query.text.replace("[SEP]", " ")
        passages = await self._search.retrieve(text, DEPTH)
        ranked = dict[str, tuple[str, ...]]()
        for name, reranker in self._rerankers.items():
            ordered = passages if reranker is None else await _reranked(reranker, text, passages)
            sources = dict.fromkeys(passage.source for passage in ordered)
            ranked[name] = tuple(document_of(source, self._documents) for source in sources)
        return ranked


async def _reranked(reranker: Reranker, text: str, passages: Sequence[Passage]) -> list[Passage]:
    if not passages:
        return []
    scores = await reranker.score(text, passages)
    order = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
    return [passage for _, passage in order]


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
