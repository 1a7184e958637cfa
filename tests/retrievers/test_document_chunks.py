"""Documents come in passages of a few hundred words, with their places in the source."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from rarr.records import Passage
from rarr.retrievers.combined import DocumentChunks
from rarr.retrievers.corpus.chunking import chunks
from rarr.retrievers.corpus.corpus import Corpus
from rarr.testing import InMemoryRetriever

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


def opened(folder: Path) -> Corpus:
    (folder / "notes").mkdir()
    (folder / "notes" / "tolk.md").write_text(TEXT)
    return Corpus.open(folder / "notes", home=folder / "home", window=4, step=1, max_file_mb=10)


async def test_documents_of_a_corpus_are_cut_anew(tmp_path: Path) -> None:
    corpus = opened(tmp_path)
    found = await DocumentChunks(corpus, [corpus], 50).retrieve("river Tolk", 5)
    assert [TEXT[each.start : each.end] for each in found] == [each.text for each in found]
    assert [each.text for each in found] == pieces(50)
    assert {each.title for each in found} == {"Tolk"}


async def test_changed_file_keeps_the_passages_of_the_index(tmp_path: Path) -> None:
    corpus = opened(tmp_path)
    (tmp_path / "notes" / "tolk.md").write_text("Something else is here.")
    found = await DocumentChunks(corpus, [corpus], 50).retrieve("river Tolk", 5)
    assert all(each.text in TEXT for each in found)
    assert found


async def test_source_without_whole_texts_keeps_its_passages() -> None:
    passages: Sequence[Passage] = await DocumentChunks(InMemoryRetriever(["It is red."]), [], 50).retrieve(
        "red", 5
    )
    assert [each.text for each in passages] == ["It is red."]
