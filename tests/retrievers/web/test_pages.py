"""How pages of web sources are read and kept."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from tools.asking import metered

from rarr.errors import RetrievalError
from rarr.retrievers.extract import limited_calls as extracting
from rarr.retrievers.extract.extracted_document import Document
from rarr.retrievers.fetch.fetching import PAGE_TYPES, Fetched, Fetcher
from rarr.retrievers.web import cache
from rarr.retrievers.web.cache import Cache, PageReader
from rarr.settings import Settings
from rarr.tools.models.run_budget import Budget
from retrievers import calls

HTML = """<html><head><title>Fruit</title><meta property="article:published_time" content="2020-03-04"></head>
<body><article><h1>Peaches</h1>
<p>The peach is a fruit. It grows in Georgia, and in California as well. Many farmers plant it.</p>
<h2>Größe</h2><p>A tree is five metres high. Some trees are higher, as is well known.</p></article></body>
</html>"""


def sleep(*_: object) -> Document:
    """Longer than any limit here; it runs in a process."""
    time.sleep(30)
    return Document("")


class Web:
    """Fetches what it is given."""

    moved_to, seconds_left = "", 20.0

    def __init__(self, content: bytes, media_type: str = "text/html") -> None:
        self.content, self.media_type = content, media_type

    async def fetch(self, url: str) -> Fetched:
        return Fetched(self.moved_to or url, self.content, self.media_type, None, self.seconds_left)


@pytest.fixture
def reading(tmp_path: Path) -> Callable[[Web], PageReader]:
    """A reader of some pages, with a cache of its own."""
    return lambda web: PageReader(cast(Fetcher, web), Cache(tmp_path / "cache"), Settings(window=2))


Reading = Callable[[Web], PageReader]
URL = "https://example.org/fruit"


async def test_page_becomes_passages_of_a_text_that_can_be_shown(reading: Reading) -> None:
    reader = reading(Web(HTML.encode()))
    first, *more = await reader.read(f"{URL}#top")
    assert first.text == "The peach is a fruit. It grows in Georgia, and in California as well."
    assert (first.source, first.title) == (URL, "Peaches")
    assert first.published_at == datetime(2020, 3, 4, tzinfo=UTC)
    text = await reader.extracted(URL) or ""
    assert all(text[passage.start : passage.end] == passage.text for passage in (first, *more))


async def test_page_that_moved_is_cited_by_its_new_address(reading: Reading) -> None:
    web = Web(HTML.encode())
    web.moved_to = "https://example.org/new"
    reader = reading(web)
    assert {passage.source for passage in await reader.read(URL)} == {"https://example.org/new"}
    assert await reader.extracted("https://example.org/new")


@pytest.mark.slow
@pytest.mark.parametrize(("slow", "left", "deadline"), [("extract_page", 20.0, 0.4), ("windows", 0.2, None)])
async def test_reading_of_a_page_ends_with_its_time_or_half_of_the_rest_of_the_run(
    reading: Reading, monkeypatch: pytest.MonkeyPatch, slow: str, left: float, deadline: float | None
) -> None:
    await extracting.extracted(
        calls.allocate, 0
    )  # the time of a page does not include the start of a process
    monkeypatch.setattr(cache, slow, sleep)
    web = Web(b"a " * 100_000, "text/plain")
    web.seconds_left = left
    with (
        metered() as meter,
        pytest.raises(RetrievalError, match=r"cannot be used: reading it takes more than 0\.[12]"),
    ):
        meter.budget = Budget(deadline_s=deadline)
        await reading(web).read(URL)


@pytest.mark.parametrize(
    ("content", "media_type", "reason"),
    [
        *((b" ", media_type, "it") for media_type in PAGE_TYPES),
        (b"%PDF-1.4 broken", "text/html", "it cannot be read"),
        (b"<html><body></body></html>", "text/html", "it holds no text"),
        (b"\0\1\2", "text/plain", "it is not text"),
    ],
)
async def test_page_without_text_is_refused(
    reading: Reading, content: bytes, media_type: str, reason: str
) -> None:
    with pytest.raises(RetrievalError, match=f"{URL} cannot be used: {reason}"):
        await reading(Web(content, media_type)).read(URL)
