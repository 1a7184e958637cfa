"""A search that was made before is not made again, until the index changes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
        memo.keep(search, [])
    assert memo.passages(searches[0]) == []  # used, and so not the oldest
    memo.keep(searches[-1], [])
    assert memo.passages(searches[0]) is not None
    assert memo.passages(searches[1]) is None
