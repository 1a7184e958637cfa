"""The page at an address -> passages. What was extracted from it is kept, so that a citation can be shown."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Protocol
from urllib.parse import urldefrag, urlsplit

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.cache import Cache
from rarr.retrievers.chunking import windows
from rarr.retrievers.dates import published
from rarr.retrievers.decoding import decode
from rarr.retrievers.documents import UnreadableError
from rarr.retrievers.extracting import extracted
from rarr.retrievers.fetching import Fetched
from rarr.retrievers.furniture import without_furniture
from rarr.retrievers.html import MOST_BYTES, Page, read_page
from rarr.retrievers.links import shown
from rarr.retrievers.pdf import read_pdf
from rarr.unicode import valid


class Fetches(Protocol):
    """What gets the bytes at an address, and refuses what is not safe to ask for."""

    async def fetch(self, url: str) -> Fetched:
        """What is at `url`. Raises `RetrievalError`."""


@dataclass(frozen=True)
class Extracted:
    """The text of a page, into which the offsets of its passages point. `url` is where it was in the end."""

    url: str
    text: str
    title: str = ""
    site: str = ""
    published_at: datetime | None = None

    def passages(self, retrieved_at: datetime, *, window: int, step: int) -> list[Passage]:
        """Its windows, in order."""
        return passages_of(
            self.text,
            source=self.url,
            title=self.title,
            window=window,
            step=step,
            retrieved_at=retrieved_at,
            published_at=self.published_at,
        )

    def to_bytes(self) -> bytes:
        """As the cache keeps it: JSON, which `from_bytes` reads."""
        date = self.published_at.isoformat() if self.published_at else None
        return json.dumps(asdict(self) | {"published_at": date}, ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Extracted":
        """What `to_bytes` wrote."""
        facts = json.loads(data)
        return cls(**facts | {"published_at": published(facts["published_at"])})


class Shelf:
    """What one kind of source extracted from pages, in the cache.

    Each source has a shelf of its own, because two would extract different texts from one page.
    """

    def __init__(self, cache: Cache, source: str) -> None:
        self._cache, self._source = cache, source

    async def page(self, url: str, make: Callable[[], Awaitable[Extracted]]) -> tuple[Extracted, datetime]:
        """The page at `url`, made where it is not kept, and when it was made. Raises what `make` raises."""

        async def made() -> bytes:
            return (await make()).to_bytes()

        entry = await self._cache.through("page", [self._source, url], made)
        page = Extracted.from_bytes(entry.value)
        if page.url == url:
            return page, entry.stored_at

        async def known() -> bytes:
            return entry.value

        # Under its own address as well, which is the one that is cited. What is there wins, so that the
        # offsets of passages always point into what `text` gives.
        entry = await self._cache.through("page", [self._source, page.url], known)
        return Extracted.from_bytes(entry.value), entry.stored_at

    async def text(self, url: str) -> str | None:
        """The text of the page that passages cite as `url`, however old; None where it is not kept."""
        found = await self._cache.stored("page", [self._source, url])
        return Extracted.from_bytes(found).text if found else None

    async def kept(self, url: str) -> tuple[Extracted, datetime] | None:
        """The page at `url` and when it was made; None where it is not kept."""
        entry = await self._cache.get("page", [self._source, url])
        return (Extracted.from_bytes(entry.value), entry.stored_at) if entry else None


class PageReader:
    """Reads pages at addresses: HTML, PDF, plain text and Markdown."""

    def __init__(self, fetcher: Fetches, cache: Cache, *, window: int, step: int) -> None:
        self._fetcher, self._shelf = fetcher, Shelf(cache, "web")
        self._window, self._step = window, step

    async def read(self, url: str) -> list[Passage]:
        """The passages of the page at `url`, in order. Raises `RetrievalError` where there is no text."""
        try:
            url = urldefrag(valid(url)).url
        except ValueError:  # as of http://[
            raise RetrievalError(f"{shown(url)} is no address: leave it out") from None
        page, at = await self._shelf.page(url, lambda: self._fetched(url))
        return await asyncio.to_thread(page.passages, at, window=self._window, step=self._step)

    async def extracted(self, url: str) -> str | None:
        """The text into which the offsets of a passage with the source `url` point; None: not kept."""
        return await self._shelf.text(url)

    async def _fetched(self, url: str) -> Extracted:
        fetched = await self._fetcher.fetch(url)
        try:
            page = await extracted(lambda: extract_page(fetched))
        except UnreadableError as error:
            said = " ".join(str(error).split())
            raise RetrievalError(f"{shown(url)} cannot be used: {said}") from error
        site = (urlsplit(fetched.url).hostname or "").removeprefix("www.")
        return Extracted(fetched.url, page.text, page.title, site, page.published_at)


def passages_of(
    text: str,
    *,
    source: str,
    title: str,
    window: int,
    step: int,
    retrieved_at: datetime,
    published_at: datetime | None,
    offset: int = 0,
) -> list[Passage]:
    """The windows of `text` as passages. `offset` is where `text` begins in its source."""
    return [
        Passage(
            text=text[start:end],
            source=source,
            title=title,
            start=offset + start,
            end=offset + end,
            retrieved_at=retrieved_at,
            published_at=published_at,
        )
        for start, end, _ in windows(text, window=window, step=step)
    ]


def extract_page(fetched: Fetched) -> Page:
    """The main text of what was fetched. Raises `UnreadableError`, its message the reason alone."""
    # Many a server calls all that it sends HTML.
    read = _pdf if fetched.content[:5].lower() == b"%pdf-" else _READERS[fetched.media_type]
    page = read(fetched)
    if not page.text.strip():
        raise UnreadableError("it holds no text")
    return Page(valid(page.text), valid(page.title), page.published_at)


def _html(fetched: Fetched) -> Page:
    page = read_page(fetched.content, fetched.charset, most_bytes=MOST_BYTES)
    return page._replace(text=without_furniture(page.text))


def _pdf(fetched: Fetched) -> Page:
    return Page(*read_pdf(fetched.content), None)


def _text(fetched: Fetched) -> Page:
    return Page(decode(fetched.content, fetched.charset), "", None)


_READERS = {
    "text/html": _html,
    "application/xhtml+xml": _html,
    "text/plain": _text,
    "text/markdown": _text,
    "application/pdf": _pdf,
}
