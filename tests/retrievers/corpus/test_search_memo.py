"""A search that was made before is not made again, until the index changes."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rarr.records import Passage
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.corpus.search_memo import KEPT_SEARCHES, Search, SearchMemo
from rarr.tools.models.run_budget import METER, Meter
from retrievers.makers import RULES, built

Open = Callable[[Path], Corpus]


@pytest.fixture
def meter() -> Iterator[Meter]:
    token = METER.set(made := Meter())
    yield made
    METER.reset(token)


async def test_repeated_search_is_saved(folder: Path, opened: Open, meter: Meter) -> None:
    corpus = opened(folder)
    first = await corpus.retrieve("capital of France", 5)
    assert meter.saved_searches == 0
    assert await corpus.retrieve("capital of France", 5) == first
    assert meter.saved_searches == 1
    await corpus.retrieve("capital of France", 4)
    assert meter.saved_searches == 1


async def test_caller_may_change_the_list(folder: Path, opened: Open) -> None:
    corpus = opened(folder)
    (await corpus.retrieve("capital of France", 5)).clear()  # type: ignore[attr-defined]  # a list
    assert await corpus.retrieve("capital of France", 5)


async def test_changed_index_is_searched_again(folder: Path, tmp_path: Path, meter: Meter) -> None:
    index = tmp_path / "index"
    built(folder, index)
    corpus = Corpus.open(index, home=tmp_path, **RULES)
    assert len(await corpus.retrieve("capital of France", 5)) == 1
    (folder / "lyon.txt").write_text("Lyon is no capital of France.")
    built(folder, index)
    assert len(await corpus.retrieve("capital of France", 5)) == 2
    assert meter.saved_searches == 0
    corpus.close()


def test_oldest_search_goes_first() -> None:
    memo = SearchMemo()
    searches = [Search("1", str(number), 5) for number in range(KEPT_SEARCHES + 1)]
    for search in searches[:-1]:
        memo.passages(search, list)
    assert memo.passages(searches[0], list) == ([], True)  # used, and so not the oldest
    memo.passages(searches[-1], list)
    assert memo.passages(searches[0], list) == ([], True)
    assert memo.passages(searches[1], list) == ([], False)


def test_same_search_at_the_same_moment_is_made_once() -> None:
    memo, search = SearchMemo(), Search("1", "a", 5)
    begun, ends = threading.Event(), threading.Event()

    def slow() -> list[Passage]:
        begun.set()
        assert ends.wait(10)
        return []

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(memo.passages, search, slow)
        assert begun.wait(10)
        second = threads.submit(memo.passages, search, lambda: pytest.fail("it was made again"))
        ends.set()
        assert first.result() == ([], False)
        assert second.result() == ([], True)


def test_search_that_failed_is_made_again() -> None:
    memo, search = SearchMemo(), Search("1", "a", 5)
    with pytest.raises(ZeroDivisionError):
        memo.passages(search, lambda: [1 // 0])  # type: ignore[list-item]
    assert memo.passages(search, list) == ([], False)
