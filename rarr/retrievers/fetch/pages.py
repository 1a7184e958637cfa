"""The page at an address -> passages. What was extracted from it is kept, so that a citation can be shown."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Protocol
from urllib.parse import urldefrag, urlsplit

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus.chunking import Window, windows
from rarr.retrievers.extract.documents import UnreadableError
from rarr.retrievers.extract.isolated import extracted
from rarr.retrievers.extract.page_text import extract_page
from rarr.retrievers.fetch.fetching import Fetched
from rarr.retrievers.fetch.links import shown
from rarr.retrievers.web.cache import Cache
from rarr.retrievers.web.publication_dates import published
from rarr.unicode import valid

LONG = 100_000
"""Characters of a text from which on it is cut in a process: hostile ones take seconds, not milliseconds."""


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

    async def passages(self, retrieved_at: datetime, *, window: int, step: int) -> list[Passage]:
        """Its windows, in order. Raises `RetrievalError` for a text that takes too long to cut."""
        found: Sequence[Window] | None = None
        if len(self.text) > LONG:
            try:
                found = await extracted(partial(windows, window=window, step=step), self.text)
            except UnreadableError as error:
                raise RetrievalError(f"{shown(self.url)} cannot be used: {error}") from error
        make = partial(passages_of, self.text, window=window, step=step, found=found)
        facts = {"source": self.url, "title": self.title, "published_at": self.published_at}
        return await asyncio.to_thread(make, retrieved_at=retrieved_at, **facts)

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
        return await page.passages(at, window=self._window, step=self._step)

    async def extracted(self, url: str) -> str | None:
        """The text into which the offsets of a passage with the source `url` point; None: not kept."""
        return await self._shelf.text(url)

    async def _fetched(self, url: str) -> Extracted:
        fetched = await self._fetcher.fetch(url)
        try:
            page = await extracted(extract_page, fetched.content, fetched.media_type, fetched.charset)
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
    found: Sequence[Window] | None = None,
) -> list[Passage]:
    """The windows of `text` as passages. `offset` is where `text` begins in its source.

    `found` are the windows, where they are known already.
    """
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
        for start, end, _ in (windows(text, window=window, step=step) if found is None else found)
    ]
