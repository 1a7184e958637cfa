"""Which source an entry of a list, or a link, names."""

import pytest

from rarr.agent.citing.citation_resolution import CitedSources
from rarr.records import Passage
from rarr.testing import RETRIEVED_AT, InMemoryRetriever, scripted_components


async def is_named(target: str, source: str) -> bool:
    passage = Passage(text="It is red.", source=source, start=0, end=10, retrieved_at=RETRIEVED_AT)
    sources = CitedSources(scripted_components(retriever=InMemoryRetriever([])), [passage], None)
    return await sources.passages("1", target, "It is red.") is not None


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ("https://x.org/a/", "https://x.org/a"),
        ("https://x.org/a", "https://x.org/a/"),
        ("http://www.x.org/a#part", "https://x.org/a"),
        ("Red things, see <https://x.org/a>.", "https://x.org/a"),
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
