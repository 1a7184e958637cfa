"""Fetches a page and cuts it into passages. Its text is cached, so that a citation can be shown later."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from time import monotonic
from typing import TypeVar
from urllib.parse import urldefrag

from pydantic import BaseModel, Field

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus.chunking import cut, windows
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.limited_calls import PAGE_S, extracted
from rarr.retrievers.extract.pages_and_office import extract_page
from rarr.retrievers.fetch.fetching import Fetcher
from rarr.retrievers.web.cache import Cache
from rarr.settings import Settings
from rarr.tools.text.wording import shown
from rarr.valid_unicode import valid

Result = TypeVar("Result")

_LONG = 100_000  # characters; a longer text is cut in a worker process: a hostile text takes seconds to cut


class Extracted(BaseModel, frozen=True):
    """The text of a page, into which its passages' offsets point. `url` is the address after redirects."""

    url: str
    text: str
    title: str = ""
    published_at: datetime | None = None
    seconds_left: float = Field(default=PAGE_S, exclude=True)  # of the page's time, to cut it


class Shelf:
    """Stores the texts of pages that one source extracts in the cache, and cuts them into passages."""

    def __init__(self, cache: Cache, source: str, settings: Settings) -> None:
        self._cache, self._source, self._settings = cache, source, settings

    async def passages(self, url: str, make: Callable[[], Awaitable[Extracted]]) -> list[Passage]:
        """Returns the passages of the page at `url`, in order. A page not in the cache comes from `make`."""
        seconds = PAGE_S

        async def made() -> bytes:
            nonlocal seconds
            page = await make()
            seconds = page.seconds_left
            return page.model_dump_json().encode()

        entry = await self._cache.through("page", [self._source, url], made)
        page = Extracted.model_validate_json(entry.value)
        if page.url != url:
            # The page is also kept under its own address, which passages cite. An earlier copy there wins, so
            # that the offsets of passages always point into the text that `extracted` returns.
            value, key = entry.value, [self._source, page.url]
            entry = await self._cache.through("page", key, lambda: asyncio.sleep(0, value))
            page = Extracted.model_validate_json(entry.value)
        if not page.text:
            return []
        window = self._settings.window
        cutting = partial(extracted, partial(windows, window=window), page.text, seconds=seconds)
        spans = await _readable(page.url, cutting()) if len(page.text) > _LONG else None
        facts = {"source": page.url, "title": page.title, "published_at": page.published_at}
        whole = Passage(text=page.text, start=0, end=len(page.text), retrieved_at=entry.stored_at, **facts)
        return await asyncio.to_thread(cut, whole, window, spans)

    async def extracted(self, url: str) -> str | None:
        """Returns the text of the page that passages cite as `url`, however old; None if not in the cache."""
        entry = await self._cache.stored("page", [self._source, url])
        return Extracted.model_validate_json(entry.value).text if entry else None


class PageReader(Shelf):
    """Fetches pages (HTML, PDF, plain text, Markdown) and cuts them into passages, through the cache."""

    def __init__(self, fetcher: Fetcher, cache: Cache, settings: Settings) -> None:
        super().__init__(cache, "web", settings)
        self._fetcher = fetcher

    async def read(self, url: str) -> list[Passage]:
        """Returns the passages of the page at `url`, in order. Raises `RetrievalError` if there are none."""
        try:
            url = urldefrag(valid(url)).url
        except ValueError:  # as of http://[
            raise RetrievalError(f"{shown(url)} is no address: leave it out") from None
        return await self.passages(url, partial(self._fetched, url))

    async def _fetched(self, url: str) -> Extracted:
        it = await self._fetcher.fetch(url)
        end = monotonic() + it.seconds_left
        reading = extracted(extract_page, it.content, it.media_type, it.charset, seconds=it.seconds_left)
        page = await _readable(url, reading)
        facts = {"title": page.title, "published_at": page.published_at, "seconds_left": end - monotonic()}
        return Extracted(url=it.url, text=page.text, **facts)


async def _readable(url: str, reading: Awaitable[Result]) -> Result:
    try:
        return await reading
    except UnreadableError as error:
        raise RetrievalError(f"{shown(url)} cannot be used: {' '.join(str(error).split())}") from error
