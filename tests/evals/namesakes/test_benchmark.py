"""Searches and revisions of sets, with searches of known behaviour."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from evals.namesakes.makers import PAGES, entities
from rarr.components import Retriever
from rarr.errors import InputError
from rarr.evals.metrics import RankedQuery
from rarr.evals.namesakes.benchmark import bench_names
from rarr.evals.namesakes.edited_claims import (
    WithoutDocuments,
)
from rarr.evals.namesakes.records import NameSet
from rarr.evals.namesakes.search_scores import rankings, search_scores
from rarr.evals.namesakes.set_generation import name_sets
from rarr.records import Passage
from rarr.settings import Settings


def page(name: str) -> Passage:
    """The page as a passage."""
    text, read = PAGES[name], datetime(2026, 1, 1, tzinfo=UTC)
    return Passage(text=text, source=f"docs/{name}", title=name, start=0, end=len(text), retrieved_at=read)


SETS = name_sets(entities(), PAGES)


class FoundBy:
    """A search that returns the pages that a function names for a query."""

    def __init__(self, sets: Sequence[NameSet], *, only_heads: bool) -> None:
        self._pages = {
            query.text.replace("[SEP]", " "): each.members[0].documents if only_heads else query.gold
            for each in sets
            for query in each.queries
        }

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        return [page(name) for name in self._pages[query]]


def ranked(search: Retriever) -> list[RankedQuery]:
    found = asyncio.run(
        rankings(SETS, search, {"": None}, tasks=("qa", "sf", "fc"), on_query=lambda done, total: None)
    )
    return [query for queries in found[""].values() for query in queries]


def test_perfect_search() -> None:
    scores = search_scores(ranked(FoundBy(SETS, only_heads=False)))
    assert {measured.value for measured in scores.accuracy.values()} == {1}
    assert {measured.value for measured in scores.confusion.values()} == {0}
    assert scores.all_correct.value == 1


def test_search_that_returns_only_heads() -> None:
    scores = search_scores(ranked(FoundBy(SETS, only_heads=True)))
    assert (scores.accuracy["head"].value, scores.accuracy["tail"].value) == (1, 0)
    assert (scores.confusion["head"].value, scores.confusion["tail"].value) == (0, 1)
    assert scores.all_correct.value == 0
    assert [gap.value for gap in scores.by_gap.values()] == [1]


def test_documents_of_the_subject_are_left_out() -> None:
    class Everything:
        async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
            return [page(name) for name in PAGES][:k]

    search = WithoutDocuments(Everything(), ("veldra", "ostrel"))
    found = asyncio.run(search.retrieve("Veldra", 2))
    assert [passage.source for passage in found] == ["docs/veldra-film", "docs/ostrel-river"]


def test_sets_without_a_query_of_the_tasks_are_refused() -> None:
    with pytest.raises(InputError, match="no query"):
        bench_names([], None, settings=Settings(corpus="docs"))
