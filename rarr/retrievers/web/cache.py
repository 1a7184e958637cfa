"""Stores answers of searches, texts of pages and answers of language models in a cache on disk."""

import asyncio
import json
import os
import random
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import Any, NamedTuple

from pydantic import BaseModel

from rarr.errors import InputError, RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus.chunking import Window, cut_passages, windows
from rarr.retrievers.extract.documents import Document
from rarr.retrievers.extract.limited_calls import run_in_worker
from rarr.retrievers.extract.pages import extract_page
from rarr.retrievers.fetch.fetching import Fetcher
from rarr.settings import Settings
from rarr.tools.models.retries import Limiter
from rarr.tools.models.run_budget import meter
from rarr.tools.storage.files import make_private_folder
from rarr.valid_unicode import valid

MAX_AGE_S = 7 * 86_400.0
"""Seconds after which an entry is too old, and is made again."""
KEPT_S = 30 * 86_400.0
"""Seconds for which an entry that is too old stays on disk, since offline runs use old entries too."""
MOST_ENTRIES = 50_000
"""The most entries that stay on disk. The oldest entries are removed first."""
_PRUNED_SHARE = 1 / 256  # the probability that storing an entry also removes old entries
_LONG_TEXT = 100_000  # characters; a longer text is cut in a worker, since cutting hostile text takes seconds


class CacheEntry(NamedTuple):
    """A stored JSON value, and the time when it was stored."""

    value: Any
    stored_at: datetime


class Cache:
    """Stores each value in a file of its own. Many processes, threads and event loops may share the folder.

    If the disk fails or is full, the run gets a warning and continues. An entry that cannot be read is made
    again. A value that cannot be stored is still returned.
    """

    def __init__(self, folder: Path, *, offline: bool = False, refresh: bool = False) -> None:
        """If `offline`, reads entries of any age, and makes none. If `refresh`, makes each entry again.

        Raises `InputError` if the folder cannot be made, or if both `offline` and `refresh` are set.
        """
        if offline and refresh:
            raise InputError("offline and refresh contradict each other: choose one")
        try:
            make_private_folder(folder)  # texts and the questions about them are private
        except OSError as error:
            raise InputError(f"cache {folder} cannot be made ({error.strerror}): name another home") from None
        self._folder, self._offline, self._refresh = folder, offline, refresh
        self._turns = Limiter(1)

    async def entry(self, kind: str, key: Sequence[Any], make: Callable[[], Awaitable[Any]]) -> CacheEntry:
        """Returns the entry for `kind` and `key`. If it is missing or too old, calls `make`.

        Calls for the same key wait for each other, so that `make` runs once. Errors of `make` are raised and
        not stored. Raises `RetrievalError` if the cache is offline and lacks the entry.
        """
        file = self._entry_file(kind, key)
        async with self._turns(file.name):
            entry = None if self._refresh else await self.stored_entry(kind, key)
            if entry and (self._offline or entry.stored_at.timestamp() >= time.time() - MAX_AGE_S):
                return entry
            if self._offline:
                # The last text of a key is a query or an address.
                name = next((part for part in reversed(key) if isinstance(part, str)), "")[:100]
                cure = "run it once without offline"
                raise RetrievalError(f"not in the cache, and offline: {kind} {name!r}: {cure}")
            value, now = await make(), time.time()
            await asyncio.to_thread(self._write_entry, file, now, value)
            return CacheEntry(value, datetime.fromtimestamp(now, UTC))

    async def stored_entry(self, kind: str, key: Sequence[Any]) -> CacheEntry | None:
        """Returns the stored entry for `key`, of any age and even with `refresh`; None if it is missing."""
        return await asyncio.to_thread(self._read_entry, self._entry_file(kind, key))

    async def kept_value(self, kind: str, key: Sequence[Any]) -> Any:
        """Returns the stored value for `key`; None if it is missing or 30 days old, or with `refresh`."""
        entry = None if self._refresh else await self.stored_entry(kind, key)
        return entry.value if entry and entry.stored_at.timestamp() >= time.time() - KEPT_S else None

    async def keep(self, kind: str, key: Sequence[Any], value: Any) -> None:
        await asyncio.to_thread(self._write_entry, self._entry_file(kind, key), time.time(), value)

    def _entry_file(self, kind: str, key: Sequence[Any]) -> Path:
        named = json.dumps([kind, key], sort_keys=True, separators=(",", ":"))
        return self._folder / sha256(named.encode()).hexdigest()

    def _read_entry(self, file: Path) -> CacheEntry | None:
        try:
            with file.open("rb") as opened:  # another process may replace it
                stored_at = datetime.fromtimestamp(os.fstat(opened.fileno()).st_mtime, UTC)
                return CacheEntry(json.loads(zlib.decompress(opened.read())), stored_at)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, zlib.error) as error:  # the entry is made again
            self._warn("read", error)
            return None

    def _write_entry(self, file: Path, now: float, value: Any) -> None:
        """Stores an entry. A reader finds the whole entry or nothing, and a crash damages no other entry."""
        try:
            handle, name = mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as opened:
                    opened.write(zlib.compress(json.dumps(value).encode()))
                os.utime(name, (now, now))
                Path(name).replace(file)
            finally:
                Path(name).unlink(missing_ok=True)
            if random.random() < _PRUNED_SHARE:
                self._remove_old_entries(now - MAX_AGE_S - KEPT_S)
        except OSError as error:
            self._warn("written", error)

    def _remove_old_entries(self, oldest: float) -> None:
        stored = list[tuple[float, Path]]()
        for file in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another process prunes too
                stored.append((file.stat().st_mtime, file))
        for number, (at, file) in enumerate(sorted(stored, reverse=True)):
            if at < oldest or number >= MOST_ENTRIES:
                file.unlink(missing_ok=True)

    def _warn(self, action: str, error: Exception) -> None:
        why = getattr(error, "strerror", None) or error
        cure = "allow writing, free disk space, or delete the cache if it is damaged"
        meter().warn("cache_failed", f"cache {str(self._folder)!r} cannot be {action} ({why}): {cure}")


class CutPage(BaseModel, frozen=True):
    """A page, cut into windows. `url`: the address after redirects. `spans`: the windows of `text`."""

    url: str
    text: str
    title: str = ""
    published_at: datetime | None = None
    spans: list[Window] = []


class CachedPages:
    """Keeps the pages of one `source`, such as "web", in the cache. Returns the passages of a page."""

    def __init__(self, cache: Cache, settings: Settings, source: str = "web") -> None:
        self._cache, self._source, self._window = cache, source, settings.window

    async def make_page(self, url: str, document: Document) -> CutPage:
        """Cuts `document` into windows. Returns the page. Raises `RetrievalError` if this takes too long."""
        cut = partial(run_in_worker, url) if len(document.text) > _LONG_TEXT else asyncio.to_thread
        spans = await cut(windows, document.text, self._window)
        date = document.published_at
        return CutPage(url=url, text=document.text, spans=spans, title=document.title, published_at=date)

    async def passages_of_page(self, url: str, make: Callable[[], Awaitable[CutPage]]) -> list[Passage]:
        """Returns the passages of the page at `url`, in order. If the cache lacks the page, calls `make`."""
        page, at = await self._kept_page(url, make)
        if page.url != url:
            # The page is also stored under its own address, which passages cite. An earlier copy there stays,
            # so that the offsets of passages always fit the text that `extracted` returns.
            page, at = await self._kept_page(page.url, lambda: asyncio.sleep(0, page))
        if not page.text:
            return []
        facts = {"source": page.url, "title": page.title, "published_at": page.published_at}
        whole = Passage(text=page.text, start=0, end=len(page.text), retrieved_at=at, **facts)
        return await asyncio.to_thread(cut_passages, whole, self._window, page.spans)

    async def extracted(self, url: str) -> str | None:
        """Returns the text of the page at `url` from the cache, however old; None if it is missing."""
        entry = await self._cache.stored_entry("page", self._key(url))
        return entry.value["text"] if entry else None

    def _key(self, url: str) -> list[Any]:
        return [self._source, self._window, url]

    async def _kept_page(self, url: str, make: Callable[[], Awaitable[CutPage]]) -> tuple[CutPage, datetime]:
        async def made() -> Any:
            return (await make()).model_dump(mode="json")

        entry = await self._cache.entry("page", self._key(url), made)
        return CutPage.model_validate(entry.value), entry.stored_at


class PageReader(CachedPages):
    """Fetches pages (HTML, PDF, plain text, Markdown) that the cache lacks, and cuts them into passages."""

    def __init__(self, fetcher: Fetcher, cache: Cache, settings: Settings) -> None:
        super().__init__(cache, settings)
        self._fetcher = fetcher

    async def read(self, url: str) -> list[Passage]:
        """Returns the passages of the page at `url`, in order. Raises `RetrievalError` if reading fails."""
        url = valid(url).partition("#")[0]
        return await self.passages_of_page(url, partial(self._fetch_page, url))

    async def _fetch_page(self, url: str) -> CutPage:
        it = await self._fetcher.fetch(url)
        document = await run_in_worker(url, extract_page, it.content, it.media_type, it.charset)
        return await self.make_page(it.url, document)
