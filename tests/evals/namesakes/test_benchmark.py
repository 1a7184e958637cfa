"""Searches and revisions of sets, with searches of known behaviour."""

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evals.namesakes.makers import PAGES, entities
from rarr.components import Retriever
from rarr.errors import InputError, RetrievalError
from rarr.evals.metrics import RankedQuery
from rarr.evals.namesakes.benchmark import NamesReport, bench_names
from rarr.evals.namesakes.edited_claims import WithoutDocuments
from rarr.evals.namesakes.names_worker import NamesOptions
from rarr.evals.namesakes.records import TASKS, NameSet, Task
from rarr.evals.namesakes.search_scores import ComparedSearch, asked_queries, search_scores
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
    compared = ComparedSearch(search, {"": None}, SETS)

    async def rankings() -> list[RankedQuery]:
        asked = asked_queries(SETS, TASKS)
        return [each.ranked((await compared.rankings(each.query))[""]) for each in asked]

    return asyncio.run(rankings())


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


class CountedSearch(FoundBy):
    """A perfect search that counts its calls, and fails from one on; other queries find all pages."""

    def __init__(self, sets: Sequence[NameSet], *, fails_from: int | None = None) -> None:
        super().__init__(sets, only_heads=False)
        self.calls, self._fails_from = 0, fails_from

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        self.calls += 1
        if self._fails_from is not None and self.calls >= self._fails_from:
            raise RetrievalError("the search is down")
        return await super().retrieve(query, k) if query in self._pages else [page(name) for name in PAGES]


def bench(out: Path, search: Retriever, **options: Any) -> NamesReport:
    chosen = NamesOptions(rerankers=("overlap",), edits=False, jobs=1)._replace(**options)
    return bench_names(
        SETS, out, settings=Settings(search=search, home=out.with_name("home")), options=chosen
    )


def finished_ids(out: Path) -> list[str]:
    return [json.loads(line)["id"] for line in (out / "predictions.jsonl").read_text().splitlines()]


def test_interrupted_run_goes_on_with_the_queries_that_are_left(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="the search is down"):
        bench(tmp_path / "out", CountedSearch(SETS, fails_from=4))
    assert len(finished_ids(tmp_path / "out")) == 3
    again = CountedSearch(SETS)
    report = bench(tmp_path / "out", again)
    assert again.calls == report.queries - 3
    assert report == bench(tmp_path / "anew", CountedSearch(SETS))


def test_second_call_searches_for_no_query_again(tmp_path: Path) -> None:
    report = bench(tmp_path / "out", CountedSearch(SETS))
    again = CountedSearch(SETS)
    assert bench(tmp_path / "out", again) == report
    assert again.calls == 0


def test_tasks_and_limit_choose_among_the_rows_of_one_folder(tmp_path: Path) -> None:
    tasks: tuple[Task, ...] = ("qa",)
    few = bench(tmp_path / "out", CountedSearch(SETS), tasks=tasks, limit=1)
    assert (few.names, few.queries) == (1, len(asked_queries(SETS[:1], tasks)))
    search = CountedSearch(SETS)
    assert bench(tmp_path / "out", search).queries == len(asked_queries(SETS, TASKS))
    assert search.calls == len(asked_queries(SETS, TASKS)) - few.queries


def test_other_rerankers_in_the_folder_are_refused(tmp_path: Path) -> None:
    bench(tmp_path / "out", CountedSearch(SETS))
    with pytest.raises(InputError, match="rerankers overlap, not embedded: give another folder"):
        bench(tmp_path / "out", CountedSearch(SETS), rerankers=("embedded",))


def test_sets_without_a_query_of_the_tasks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no query"):
        bench_names([], tmp_path / "out", settings=Settings(corpus="docs"))


def test_two_queries_of_one_id_are_refused(tmp_path: Path) -> None:
    first = SETS[0]
    twice = first.model_copy(update={"queries": (*first.queries, first.queries[0])})
    with pytest.raises(InputError, match="two queries have the id"):
        bench_names([twice], tmp_path / "out", settings=Settings(corpus="docs"))


@pytest.mark.slow
def test_claim_that_could_not_be_checked_is_an_error_and_is_repeated(tmp_path: Path) -> None:
    queries = len(asked_queries(SETS[:1], TASKS))
    down = CountedSearch(SETS, fails_from=queries + 1)
    failed = bench(tmp_path / "out", down, edits=True, limit=1)
    assert failed.claims == len(failed.errors) > 0
    assert "the search is down" in failed.errors[0]
    assert failed.editing["all pages"].changed.n == 0
    assert len(finished_ids(tmp_path / "out")) == queries + failed.claims
    repeated = bench(tmp_path / "out", CountedSearch(SETS), edits=True, limit=1)
    assert (repeated.claims, repeated.errors) == (failed.claims, ())
    assert len(finished_ids(tmp_path / "out")) == queries + failed.claims
