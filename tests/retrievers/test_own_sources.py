"""Given passages, retrievers of LangChain, several sources together, and documents in longer passages."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from makers import passage
from tools.asking import metered_run

from rarr.agent.wiring.sources import object_retriever
from rarr.components import Retriever
from rarr.errors import InputError, RetrievalError
from rarr.records import Passage
from rarr.retrievers.combined import ChunkRetriever, CombinedRetriever
from rarr.retrievers.corpus.chunking import chunks
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.given_passages import GivenPassages
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever

FACT = "The library opened in 1976."


def given(*passages: Any) -> GivenPassages:
    return GivenPassages(passages, window=4)


@pytest.mark.parametrize(
    ("passage", "source", "title"),
    [
        (FACT, "passage 1", ""),
        (Document(FACT, metadata={"source": "a.md", "title": "A"}), "a.md", "A"),
        ({"text": FACT, "url": "https://x.org", "title": None}, "https://x.org", ""),
        ({"content": FACT, "link": "https://x.org", "title": "X"}, "https://x.org", "X"),
        ({"page_content": FACT, "url": None, "metadata": {"url": "a.md", "title": "A"}}, "a.md", "A"),
    ],
)
async def test_source_and_title_are_read(passage: Any, source: str, title: str) -> None:
    (found,) = await given(passage).retrieve("When did it open?", 5)
    assert (found.text, found.source, found.title) == (FACT, source, title)


@pytest.mark.parametrize(
    ("passage", "message"),
    [
        *((it, "is empty: give a text, or leave it out") for it in ({"text": None}, Document(" "))),
        ({"text": 5}, "has an int as its text: give a text"),
        ({}, "is empty, and has no key: give it the key text"),
        ({"title": "A", "words": "It fell."}, "is empty, and has title, words: give it the key text"),
    ],
)
def test_passage_without_text_is_refused(passage: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"passage 2 {message}"):
        given(FACT, passage)


def fixed(*found: Passage | str) -> InMemoryRetriever:
    """Makes a retriever that returns the given passages, and one for each given source."""
    return InMemoryRetriever({"q": [passage(f"of {it}", it) if isinstance(it, str) else it for it in found]})


@pytest.mark.parametrize(
    ("k", "sources", "found"),
    [
        (5, [fixed("a", "b", "c"), fixed("x"), fixed("k", "l")], ["a", "x", "k", "b", "l"]),
        (5, [fixed("https://www.b.org/a/"), fixed("http://b.org/a#x", "y")], ["https://www.b.org/a/", "y"]),
        (2, [fixed(passage("Same text.", "a")), fixed(passage("Same\n text.", "b"), "c")], ["a", "c"]),
    ],
)
async def test_several_sources_take_turns_and_give_a_page_or_text_once(
    k: int, sources: list[Retriever], found: list[str]
) -> None:
    several = CombinedRetriever({str(i): each for i, each in enumerate(sources)})
    assert [each.source for each in await several.retrieve("q", k)] == found


async def test_failing_sources_are_warnings_and_a_failure_where_all_fail() -> None:
    web, notes = InMemoryRetriever({"q": RetrievalError("no connection")}), fixed("a")
    with metered_run() as meter:
        [found] = await CombinedRetriever({"web": web, "notes": notes}).retrieve("q", 5)
    assert (found.source, [warning.code for warning in meter.warnings]) == ("a", ["source_failed"])
    with pytest.raises(RetrievalError, match=r"^web: no connection; notes: no connection$"):
        await CombinedRetriever({"web": web, "notes": web}).retrieve("q", 5)


MILES = " ".join(f"The river Tolk is {n} miles long." for n in range(30))
TEXT = f"# Tolk\n\n{MILES}\n\n## Fish\n\nSalmon."


def test_chunks_have_whole_sentences_and_not_too_many_words() -> None:
    cut = [TEXT[start:end] for start, end in chunks(TEXT, 20)]
    assert all(len(piece.split()) <= 20 and piece.endswith(".") for piece in cut)
    assert "".join("".join(cut).split()) == "".join(TEXT.split())


@pytest.mark.parametrize("changed", [False, True])
async def test_documents_of_a_corpus_are_cut_anew_unless_changed(tmp_path: Path, changed: bool) -> None:
    (tmp_path / "tolk.md").write_text(TEXT)
    corpus = Corpus.open(tmp_path / "tolk.md", home=tmp_path / "home", window=4)
    if changed:
        (tmp_path / "tolk.md").write_text("Something else is here.")
    found = await ChunkRetriever(corpus, [corpus], 50).retrieve("river Tolk", 5)
    assert [TEXT[each.start : each.end] for each in found] == [each.text for each in found] != []
    assert ([(each.start, each.end) for each in found] == chunks(TEXT, 50)) is not changed


class Shelf(BaseRetriever):
    find: Any

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> Any:
        return self.find()


def langchain_retriever(**answers: Any) -> Retriever:
    return object_retriever(Shelf(find=Mock(**answers)), Settings(window=2))


async def test_sources_of_langchain_become_passages() -> None:
    metadata = {"source": "notes/fruit.md", "title": "Fruit", "date": "2024-03-05", "start_index": 100}
    document = Document("Apples are red. Pears are green. Peaches grow here.", metadata=metadata)
    first, second = await langchain_retriever(return_value=[document]).retrieve("Where do peaches grow?", 5)
    assert (first.text, first.start, first.end) == ("Pears are green. Peaches grow here.", 116, 151)
    assert (second.start, second.source, second.title) == (100, "notes/fruit.md", "Fruit")
    assert second.published_at == datetime(2024, 3, 5, tzinfo=UTC)


async def test_source_of_langchain_that_fails_says_why() -> None:
    error, message = OSError("no\nindex, key sk-0123456789"), r"\(OSError: no index, key \*\*\*\): try"
    with pytest.raises(RetrievalError, match=rf"^the LangChain retriever Shelf failed {message}"):
        await langchain_retriever(side_effect=error).retrieve("x", 5)
