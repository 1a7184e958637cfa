"""Which source an entry of a list, or a link, names."""

import asyncio
from dataclasses import replace

import pytest
from component_doubles import scripted_components

from rarr.agent.citing.cited_sources import CitedSources
from rarr.records import Passage
from rarr.testing import RETRIEVED_AT, InMemoryRetriever


class Pages:
    """Has the text of each source, and notes which it read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    async def extracted(self, url: str) -> str:
        self.read.append(url)
        return "It is red."

    async def aclose(self) -> None: ...


async def is_named(target: str, source: str, title: str = "") -> bool:
    passage = Passage(
        text="It is red.", source=source, title=title, start=0, end=10, retrieved_at=RETRIEVED_AT
    )
    sources = CitedSources(scripted_components(retriever=InMemoryRetriever([])), [passage], None)
    return await sources.passages("1", target, "It is red.") is not None


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ("https://x.org/a/", "https://x.org/a"),
        ("https://x.org/a", "https://x.org/a/"),
        ("http://www.x.org/a#part", "https://x.org/a"),
        ("Red things, see <https://x.org/a>.", "https://x.org/a"),
        ("Ash, https://x.org/a, and https://x.org/b", "https://x.org/a"),
        ("Ash (https://x.org/a_(red)), 2020", "https://x.org/a_(red)"),
        ("passage 10 and passage 1", "passage 1"),
        ("./notes/red.md", "notes/red.md"),
        ("Ash, red.md, 2020", "notes/red.md"),
        ("Ash (my red.md)", "notes/my red.md"),
    ],
)
async def test_source_is_named(target: str, source: str) -> None:
    assert await is_named(target, source)


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ("https://x.org/a/b", "https://x.org/a"),
        ("https://x.org/a.html", "https://x.org/a"),
        ("https://x.org/a?page=2", "https://x.org/a"),
        ("passage 12", "passage 1"),
        ("11.md", "1.md"),
        ("old-notes/red.md", "notes/red.md"),
        ("other/red.md", "notes/red.md"),
    ],
)
async def test_other_source_is_not_named(target: str, source: str) -> None:
    assert not await is_named(target, source)


@pytest.mark.parametrize(
    ("target", "title", "named"),
    [
        ("Ash, Bridges, 2020", "Bridges", True),
        ("Ash, Bridges, https://y.org/b", "Bridges", False),
        ("Ash, The bridges of Orm and Hay, https://y.org/b", "The bridges of Orm", False),
        ("Ash. The bridges of Orm. https://y.org/b", "The bridges of Orm", True),
        ("Bridges. https://y.org/b", "Bridges", True),
    ],
)
async def test_title_within_an_entry_names_no_source_beside_another_address(
    target: str, title: str, named: bool
) -> None:
    assert await is_named(target, "https://x.org/a", title) is named


async def test_source_that_several_marks_name_is_read_and_searched_for_once() -> None:
    pages, retriever = Pages(), InMemoryRetriever([])
    components = replace(scripted_components(retriever=retriever), opened=(pages,))
    passage = Passage(text="It is red.", source="red.md", start=0, end=10, retrieved_at=RETRIEVED_AT)
    sources = CitedSources(components, [passage], None)
    asked = (sources.passages("1", "red.md", sentence) for sentence in ("It is red.", "Is it red?", "Red."))
    assert all(await asyncio.gather(*asked))
    assert pages.read == ["red.md"]
    assert len(retriever.calls) == 4  # the name of the source, and each sentence
