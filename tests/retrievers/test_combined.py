"""Several sources of evidence as one."""

from datetime import UTC, datetime

import pytest

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.combined import CombinedRetriever

NOW = datetime(2024, 3, 5, tzinfo=UTC)


def passage(source: str, text: str = "") -> Passage:
    return Passage(text=text or f"of {source}", source=source, start=0, end=1, retrieved_at=NOW)


class FixedRetriever:
    """Finds what it is given."""

    def __init__(self, *passages: Passage | str) -> None:
        self.passages = [passage(given) if isinstance(given, str) else given for given in passages]

    async def retrieve(self, query: str, k: int) -> list[Passage]:
        return self.passages


class Failing:
    def __init__(self, error: Exception) -> None:
        self.error = error

    async def retrieve(self, query: str, k: int) -> list[Passage]:
        raise self.error


def unheard(name: str, error: RetrievalError) -> None:
    raise AssertionError("nothing failed")


async def sources(k: int, *retrievers: FixedRetriever) -> list[str]:
    several = CombinedRetriever(
        {str(i): retriever for i, retriever in enumerate(retrievers)}, on_failure=unheard
    )
    return [passage.source for passage in await several.retrieve("q", k)]


async def test_several_sources_take_turns() -> None:
    assert await sources(5, FixedRetriever("a", "b", "c"), FixedRetriever("x"), FixedRetriever("k", "l")) == [
        "a",
        "x",
        "k",
        "b",
        "l",
    ]


async def test_several_sources_give_the_same_page_once() -> None:
    first, other = (
        FixedRetriever("https://www.example.org/a/"),
        FixedRetriever("http://example.org/a?utm_source=x", "y"),
    )
    assert await sources(5, first, other) == ["https://www.example.org/a/", "y"]


async def test_several_sources_give_the_same_text_once() -> None:
    first, other = (
        FixedRetriever(passage("a", "The same text.")),
        FixedRetriever(passage("b", "The  same\ntext."), "c"),
    )
    assert await sources(2, first, other) == ["a", "c"]


async def test_several_sources_survive_a_failing_source_and_report_it() -> None:
    heard: list[tuple[str, str]] = []
    several = CombinedRetriever(
        {"web": Failing(RetrievalError("no connection")), "notes": FixedRetriever("a")},
        on_failure=lambda name, error: heard.append((name, str(error))),
    )
    assert [passage.source for passage in await several.retrieve("q", 5)] == ["a"]
    assert heard == [("web", "no connection")]


async def test_several_sources_that_all_fail_are_a_failure() -> None:
    failing = {name: Failing(RetrievalError(f"no {name}")) for name in ("web", "notes")}
    with pytest.raises(RetrievalError, match=r"^web: no web; notes: no notes$"):
        await CombinedRetriever(failing, on_failure=unheard).retrieve("q", 5)
