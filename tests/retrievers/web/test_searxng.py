"""Sources found by SearXNG: what it is asked, and which pages are read."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from tools.asking import metered

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.fetch.cached_page_passages import PageReader
from rarr.retrievers.web.domain_and_date_limits import SourceLimits
from rarr.retrievers.web.searxng import SearXNG
from retrievers.caches import opened
from retrievers.services import Said, Service

pytestmark = pytest.mark.loopback

NOW = datetime(2024, 3, 5, tzinfo=UTC)
Using = Callable[..., Any]


class Reader:
    """Reads a page as one passage; those in `broken` fail."""

    def __init__(self) -> None:
        self.broken: set[str] = set()
        self.read_pages: list[str] = []

    async def read(self, url: str) -> list[Passage]:
        self.read_pages.append(url)
        if url in self.broken:
            raise RetrievalError(f"{url} is gone")
        return [Passage(text=f"Of {url}.", source=url, start=0, end=1, retrieved_at=NOW)]

    async def extracted(self, url: str) -> str | None:
        return f"Of {url}." if url in self.read_pages else None


def results_page(*urls: str, **more: Any) -> Said:
    results = [
        {"url": url, "title": "t", "content": "c", "engine": "e", "publishedDate": None} for url in urls
    ]
    return Said({"query": "q", "number_of_results": 0, "results": results, "unresponsive_engines": []} | more)


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
async def using(tmp_path: Path, reader: Reader) -> AsyncIterator[Using]:
    """SearXNG at some address, closed when the test ends."""
    async with AsyncExitStack() as stack:

        def make(base_url: str, **options: Any) -> SearXNG:
            cache, pages = opened(tmp_path / "cache"), cast(PageReader, reader)
            searxng = SearXNG(base_url, reader=pages, cache=cache, **options)
            stack.push_async_callback(searxng.aclose)
            return searxng

        yield make


async def test_searxng_sources_are_read(using: Using, reader: Reader) -> None:
    answer = results_page(
        "https://a.org/", "https://www.a.org", "ftp://b.org", "https://c.org/", "https://d.org/"
    )
    with Service(lambda asked: answer) as service:
        passages = await using(f"{service.url}/").retrieve("Where do  peaches grow?", 2)
    assert [passage.text for passage in passages] == ["Of https://a.org/.", "Of https://c.org/."]
    assert (service.asked[0].path, service.asked[0].fields) == (
        "/search",
        {"q": "Where do peaches grow?", "format": "json", "language": "all"},
    )


async def test_searxng_sources_that_are_excluded_are_not_read(using: Using, reader: Reader) -> None:
    limits = SourceLimits(exclude=["a.org"])
    with Service(lambda asked: results_page("https://a.org/", "https://b.org/")) as service:
        await using(service.url, limits=limits).retrieve("q", 1)
    assert reader.read_pages == ["https://b.org/"]


async def test_searxng_source_that_cannot_be_read_is_left_out_and_named(using: Using, reader: Reader) -> None:
    reader.broken = {"https://a.org/"}
    with (
        Service(lambda asked: results_page("https://a.org/", "https://b.org/")) as service,
        metered() as meter,
    ):
        passages = await using(service.url).retrieve("q", 2)
    assert [passage.source for passage in passages] == ["https://b.org/"]
    assert [(warning.code, warning.message) for warning in meter.warnings] == [
        ("page_failed", "a page was left out: https://a.org/ is gone")
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Said("Forbidden", 403), "status 403.*settings.yml add json to formats"),
        (Said("Too many", 429), "status 429.*limiter"),
        (Said("<html>"), "with a JSON object: check searxng_url"),
        (
            results_page(unresponsive_engines=[["google", "CAPTCHA"]]),
            r"do not answer \(google: CAPTCHA\): choose",
        ),
    ],
)
async def test_searxng_failure_names_its_cure(using: Using, answer: Said, message: str) -> None:
    with Service(lambda asked: answer) as service, pytest.raises(RetrievalError, match=message):
        await using(service.url, attempts=1).retrieve("q", 2)


async def test_password_repeated_by_searxng_is_redacted(using: Using) -> None:
    with Service(lambda asked: Said("it is pass/word-1 or pass\\/word-1", 500)) as service:
        address = service.url.replace("//", "//me:pass%2Fword-1@")
        with pytest.raises(RetrievalError) as raised:
            await using(address, attempts=1).retrieve("q", 5)
    assert "it is *** or ***" in str(raised.value)
