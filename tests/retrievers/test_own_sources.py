"""Given passages, retrievers of LangChain, several sources as one, and documents that are cut anew."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from tools.asking import metered

from rarr.errors import InputError, RetrievalError
from rarr.records import Passage
from rarr.retrievers.combined import CombinedRetriever, DocumentChunks, GivenFirst
from rarr.retrievers.corpus.chunking import chunks
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.given_passages import GivenPassages
from rarr.retrievers.langchain import LangChainRetriever
from rarr.retrievers.web.domain_and_date_limits import SourceLimits
from rarr.testing import RETRIEVED_AT, InMemoryRetriever

FACT = "The library opened in 1976."


def given(*passages: Any) -> GivenPassages:
    return GivenPassages(passages, window=4, step=1)


@pytest.mark.parametrize(
    ("passage", "source", "title"),
    [
        (FACT, "passage 1", ""),
        (Document(FACT, metadata={"source": "a.md", "title": "A"}), "a.md", "A"),
        (Document(FACT), "passage 1", ""),
        ({"text": FACT, "url": "https://x.org", "title": None}, "https://x.org", ""),
        ({"content": FACT, "link": "https://x.org", "title": "X"}, "https://x.org", "X"),
        ({"snippet": FACT, "href": "https://x.org"}, "https://x.org", ""),
        ({"page_content": FACT, "metadata": {"source": "a.md", "title": "A"}}, "a.md", "A"),
        ({"body": FACT}, "passage 1", ""),
    ],
)
async def test_source_and_title_are_read(passage: Any, source: str, title: str) -> None:
    (found,) = await given(passage).retrieve("When did it open?", 5)
    assert (found.text, found.source, found.title) == (FACT, source, title)


async def test_date_and_place_of_a_document_are_read() -> None:
    document = Document(FACT, metadata={"source": "a.md", "start_index": 100, "date": "2020-05-01"})
    (found,) = await given(document).retrieve("When did it open?", 5)
    assert (found.start, found.published_at) == (100, datetime(2020, 5, 1, tzinfo=UTC))


@pytest.mark.parametrize("passage", ["", {"title": "A"}, {"text": None}, Document(" ")])
def test_passage_without_text_is_refused(passage: Any) -> None:
    with pytest.raises(InputError, match="passage 2 is empty: give a text, or leave it out"):
        given(FACT, passage)


def passage(source: str, text: str = "") -> Passage:
    return Passage(text=text or f"of {source}", source=source, start=0, end=1, retrieved_at=RETRIEVED_AT)


class Fixed:
    """Finds what it is given, or fails."""

    def __init__(self, *found: Passage | str | Exception) -> None:
        self.found = found

    async def retrieve(self, query: str, k: int) -> list[Passage]:
        passages = list[Passage]()
        for each in self.found:
            if isinstance(each, Exception):
                raise each
            passages.append(passage(each) if isinstance(each, str) else each)
        return passages


@pytest.mark.parametrize(
    ("k", "sources", "found"),
    [
        (5, [Fixed("a", "b", "c"), Fixed("x"), Fixed("k", "l")], ["a", "x", "k", "b", "l"]),
        (
            5,
            [Fixed("https://www.example.org/a/"), Fixed("http://example.org/a?utm_source=x", "y")],
            ["https://www.example.org/a/", "y"],
        ),
        (2, [Fixed(passage("a", "Same text.")), Fixed(passage("b", "Same\n text."), "c")], ["a", "c"]),
    ],
)
async def test_several_sources_take_turns_and_give_a_page_or_text_once(
    k: int, sources: list[Fixed], found: list[str]
) -> None:
    several = CombinedRetriever({str(i): each for i, each in enumerate(sources)}, on_failure=fail)
    assert [each.source for each in await several.retrieve("q", k)] == found


def fail(name: str, error: RetrievalError) -> None:
    pytest.fail(f"{name}: {error}")


async def test_failing_sources_are_told_and_are_a_failure_where_all_fail() -> None:
    told: list[tuple[str, str]] = []
    web, notes = Fixed(RetrievalError("no connection")), Fixed("a")
    several = CombinedRetriever(
        {"web": web, "notes": notes}, on_failure=lambda name, error: told.append((name, str(error)))
    )
    assert [each.source for each in await several.retrieve("q", 5)] == ["a"]
    assert told == [("web", "no connection")]
    with pytest.raises(RetrievalError, match=r"^web: no connection; notes: no connection$"):
        await CombinedRetriever({"web": web, "notes": web}, on_failure=fail).retrieve("q", 5)


async def test_given_passages_stand_first_and_others_behind_them() -> None:
    both = GivenFirst(given(FACT), InMemoryRetriever(["The library is red."]), on_failure=fail)
    assert [each.text for each in await both.retrieve("library", 5)] == [FACT, "The library is red."]
    assert [each.text for each in await both.retrieve("library", 1)] == [FACT]


SENTENCE = "The river Tolk is {} miles long in the dry season."
TEXT = (
    "# Tolk\n\n" + " ".join(SENTENCE.format(n) for n in range(30)) + "\n\n## Fish\n\nSalmon live in the Tolk."
)


def pieces(words: int, text: str = TEXT) -> Sequence[str]:
    return [text[start:end] for start, end in chunks(text, words)]


@pytest.mark.parametrize("words", [20, 50, 256])
def test_chunks_have_whole_sentences_and_not_too_many_words(words: int) -> None:
    cut = pieces(words)
    assert all(len(piece.split()) <= words and piece.endswith(".") for piece in cut)
    assert "".join("".join(cut).split()) == "".join(TEXT.split())


def corpus_in(folder: Path) -> Corpus:
    (folder / "notes").mkdir()
    (folder / "notes" / "tolk.md").write_text(TEXT)
    return Corpus.open(folder / "notes", home=folder / "home", window=4, step=1)


async def test_documents_of_a_corpus_are_cut_anew(tmp_path: Path) -> None:
    corpus = corpus_in(tmp_path)
    found = await DocumentChunks(corpus, [corpus], 50).retrieve("river Tolk", 5)
    assert [TEXT[each.start : each.end] for each in found] == [each.text for each in found]
    assert [each.text for each in found] == pieces(50)
    assert {each.title for each in found} == {"Tolk"}


async def test_changed_file_keeps_the_passages_of_the_index(tmp_path: Path) -> None:
    corpus = corpus_in(tmp_path)
    (tmp_path / "notes" / "tolk.md").write_text("Something else is here.")
    found = await DocumentChunks(corpus, [corpus], 50).retrieve("river Tolk", 5)
    assert all(each.text in TEXT for each in found)
    assert found


async def test_source_without_whole_texts_keeps_its_passages() -> None:
    passages: Sequence[Passage] = await DocumentChunks(InMemoryRetriever(["It is red."]), [], 50).retrieve(
        "red", 5
    )
    assert [each.text for each in passages] == ["It is red."]


class Shelf(BaseRetriever):
    """Gives out its documents, or fails."""

    documents: tuple[Document, ...] = ()
    error: Exception | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.error is not None:
            raise self.error
        return list(self.documents)


def over(*documents: Document, **options: Any) -> LangChainRetriever:
    return LangChainRetriever(Shelf(documents=documents), **({"window": 2, "step": 1} | options))


async def test_sources_of_langchain_become_passages() -> None:
    metadata = {"source": "notes/fruit.md", "title": "Fruit", "date": "2024-03-05"}
    document = Document("Apples are red. Pears are green. Peaches grow here.", metadata=metadata)
    first, second = await over(document).retrieve("Where do peaches grow?", 5)
    assert (first.text, first.start, first.end) == ("Pears are green. Peaches grow here.", 16, 51)
    assert (second.start, second.source, second.title) == (0, "notes/fruit.md", "Fruit")
    assert second.published_at == datetime(2024, 3, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("document", "source"),
    [
        (Document("x.", metadata={"url": "https://a.org"}), "https://a.org"),
        (Document("x.", metadata={"file_path": "a.pdf"}), "a.pdf"),
        (Document("x.", id="doc-7"), "unnamed:doc-7"),
        (Document("x.", metadata={"source": ""}), "unnamed:" + hashlib.sha256(b"x.").hexdigest()[:12]),
    ],
)
async def test_sources_of_langchain_without_metadata_have_a_name(document: Document, source: str) -> None:
    [passage] = await over(document).retrieve("x", 5)
    assert passage.source == source


async def test_sources_of_langchain_that_no_limit_can_allow_are_a_warning() -> None:
    limits = SourceLimits(after=datetime(2020, 1, 1, tzinfo=UTC))
    with metered() as meter:
        assert await over(Document("x.", metadata={"source": "a.md"}), limits=limits).retrieve("x", 1) == []
    [warning] = meter.warnings
    assert warning.code == "source_left_out"
    assert warning.message.startswith("the passages of the LangChain retriever Shelf are left out, since")


async def test_sources_of_langchain_that_fail_say_why() -> None:
    failing = LangChainRetriever(Shelf(error=OSError("no\nindex, key sk-0123456789")), window=4, step=1)
    with pytest.raises(
        RetrievalError, match=r"retriever Shelf failed \(OSError: no index, key \*\*\*\): try"
    ):
        await failing.retrieve("x", 5)


@pytest.mark.parametrize("result", [None, "peaches", [{"page_content": "peaches"}]])
async def test_source_of_langchain_that_returns_other_values_is_a_failure(
    result: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shelf, "_get_relevant_documents", lambda *given, **more: result)
    with pytest.raises(RetrievalError, match=r"Shelf returned a .* that is not a list of documents: mend"):
        await over().retrieve("peaches", 5)
