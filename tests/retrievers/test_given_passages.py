"""Passages that a caller gives: texts, documents and search results, and what stands beside them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.documents import Document

from rarr.errors import InputError, RetrievalError
from rarr.retrievers.combined import GivenFirst
from rarr.retrievers.given_passages import GivenPassages
from rarr.testing import InMemoryRetriever

FACT = "The library opened in 1976."


def fail(name: str, error: RetrievalError) -> None:
    pytest.fail(f"{name}: {error}")


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


async def test_given_passages_stand_first_and_others_behind_them() -> None:
    both = GivenFirst(given(FACT), InMemoryRetriever(["The library is red."]), on_failure=fail)
    assert [passage.text for passage in await both.retrieve("library", 5)] == [FACT, "The library is red."]
    assert [passage.text for passage in await both.retrieve("library", 1)] == [FACT]


async def test_failure_of_the_others_is_told() -> None:
    told: list[str] = []
    broken = InMemoryRetriever(RetrievalError("down"))
    both = GivenFirst(given(FACT), broken, on_failure=lambda name, error: told.append(f"{name}: {error}"))
    assert [passage.text for passage in await both.retrieve("library", 5)] == [FACT]
    assert told == ["the other sources: down"]
