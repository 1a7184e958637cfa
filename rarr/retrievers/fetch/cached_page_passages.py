"""Fetches a page and cuts it into passages. Its text is cached, so that a citation can be shown later."""

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
from rarr.retrievers.extract.extracted_document import UnreadableError, published
from rarr.retrievers.extract.limited_calls import extracted
from rarr.retrievers.extract.web_page_text import extract_page
from rarr.retrievers.fetch.fetching import Fetched
from rarr.retrievers.web.cache import Cache
from rarr.tools.text.wording import shown
from rarr.valid_unicode import valid

LONG = 100_000
"""Texts with more characters are cut in a worker process: a hostile text takes seconds to cut."""


class Fetches(Protocol):
    """Fetches the bytes at an address, and refuses addresses that are not safe."""

    async def fetch(self, url: str) -> Fetched:
        """Fetches the page at `url`. Raises `RetrievalError`."""


@dataclass(frozen=True)
class Extracted:
    """The text of a page, into which its passages' offsets point. `url` is the address after redirects."""

    url: str
    text: str
    title: str = ""
    site: str = ""
    published_at: datetime | None = None

    async def passages(self, retrieved_at: datetime, *, window: int, step: int) -> list[Passage]:
        """Cuts the text into passages, in order. Raises `RetrievalError` if this takes too long."""
        spans: Sequence[Window] | None = None
        if len(self.text) > LONG:
            try:
                spans = await extracted(partial(windows, window=window, step=step), self.text)
            except UnreadableError as error:
                raise RetrievalError(f"{shown(self.url)} cannot be used: {error}") from error
        make = partial(passages_of, self.text, window=window, step=step, spans=spans)
        facts = {"source": self.url, "title": self.title, "published_at": self.published_at}
        return await asyncio.to_thread(make, retrieved_at=retrieved_at, **facts)

    def to_bytes(self) -> bytes:
        """Writes the page as JSON for the cache; `from_bytes` reads it."""
        date = self.published_at.isoformat() if self.published_at else None
        return json.dumps(asdict(self) | {"published_at": date}, ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Extracted":
        """Reads a page from JSON that `to_bytes` wrote."""
        facts = json.loads(data)
        return cls(**facts | {"published_at": published(facts["published_at"])})


class Shelf:
    """Stores the extracted pages of one kind of source in the cache, and reads them from it.

    Each source has its own shelf, because two sources would extract different texts from one page.
    """

    def __init__(self, cache: Cache, source: str) -> None:
        self._cache, self._source = cache, source

    async def page(self, url: str, make: Callable[[], Awaitable[Extracted]]) -> tuple[Extracted, datetime]:
        """Returns the page at `url` and when it was extracted. A page not in the cache comes from `make`."""

        async def made() -> bytes:
            return (await make()).to_bytes()

        entry = await self._cache.through("page", [self._source, url], made)
        page = Extracted.from_bytes(entry.value)
        if page.url == url:
            return page, entry.stored_at

        async def stored() -> bytes:
            return entry.value

        # The page is also kept under its own address, which passages cite. An earlier copy there wins, so
        # that the offsets of passages always point into the text that `text` returns.
        entry = await self._cache.through("page", [self._source, page.url], stored)
        return Extracted.from_bytes(entry.value), entry.stored_at

    async def text(self, url: str) -> str | None:
        """Returns the text of the page that passages cite as `url`, however old; None if not in the cache."""
        data = await self._cache.stored("page", [self._source, url])
        return Extracted.from_bytes(data).text if data else None

    async def kept(self, url: str) -> tuple[Extracted, datetime] | None:
        """Returns the page at `url` and when it was extracted; None if it is missing or too old."""
        entry = await self._cache.get("page", [self._source, url])
        return (Extracted.from_bytes(entry.value), entry.stored_at) if entry else None


class PageReader:
    """Fetches pages (HTML, PDF, plain text, Markdown) and cuts them into passages, through the cache."""

    def __init__(self, fetcher: Fetches, cache: Cache, *, window: int, step: int) -> None:
        self._fetcher, self._shelf = fetcher, Shelf(cache, "web")
        self._window, self._step = window, step

    async def read(self, url: str) -> list[Passage]:
        """Returns the passages of the page at `url`, in order. Raises `RetrievalError` if there are none."""
        try:
            url = urldefrag(valid(url)).url
        except ValueError:  # as of http://[
            raise RetrievalError(f"{shown(url)} is no address: leave it out") from None
        page, at = await self._shelf.page(url, lambda: self._fetched(url))
        return await page.passages(at, window=self._window, step=self._step)

    async def extracted(self, url: str) -> str | None:
        """Returns the stored text that passages with the source `url` were cut from; None if not stored."""
        return await self._shelf.text(url)

    async def _fetched(self, url: str) -> Extracted:
        fetched = await self._fetcher.fetch(url)
        try:
            page = await extracted(extract_page, fetched.content, fetched.media_type, fetched.charset)
        except UnreadableError as error:
            reason = " ".join(str(error).split())
            raise RetrievalError(f"{shown(url)} cannot be used: {reason}") from error
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
    spans: Sequence[Window] | None = None,
) -> list[Passage]:
    """Cuts `text` into passages. `offset` is where `text` begins in its source.

    `spans` are the windows of `text`, if they were computed before.
    """
    return [
        Passage(
            text=text[cut.start : cut.end],
            source=source,
            title=title,
            start=offset + cut.start,
            end=offset + cut.end,
            retrieved_at=retrieved_at,
            published_at=published_at,
            lead=tuple((offset + start, words) for start, words in cut.lead),
        )
        for cut in (windows(text, window=window, step=step) if spans is None else spans)
    ]
