"""Caches the answers of searches, pages and rerankers in one file that many runs share."""

import asyncio
import json
import logging
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from rarr.errors import InputError, RetrievalError
from rarr.retrievers.web.cache_file import CacheFile, CacheRow

KEPT_S = 30 * 86_400.0
"""Seconds that an entry is kept after it became too old: offline runs use old entries as well."""
REST_S = 60.0  # seconds without writing after a failed write, which may have taken long
PRUNE_EVERY = 64  # calls that store something

_log = logging.getLogger("rarr")


class CacheEntry(NamedTuple):
    """A stored value. `fresh`: it is no older than its kind allows. Only an offline cache returns others."""

    value: bytes
    stored_at: datetime
    fresh: bool


class Cache:
    """Stores values in one SQLite file by kind and key. Many processes, threads and event loops may share it.

    A file that fails during a run, as on a full disk, does not end the run: the failure is logged as a
    warning, an entry that cannot be read is made again, and a value that cannot be stored is still returned.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_age_s: Mapping[str, float],
        max_bytes: int = 2_000_000_000,
        offline: bool = False,
        refresh: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`max_age_s`: the seconds that entries of each kind are valid; `math.inf` means for ever.

        `offline`: nothing is made, and entries of any age are valid. `refresh`: nothing is read, everything
        is made and stored anew. Beyond `max_bytes` the oldest entries are removed.

        Raises `InputError` for a file that is damaged, is not a cache or cannot be opened.
        """
        if offline and refresh:
            raise InputError("offline and refresh contradict each other: choose one")
        self.offline = offline
        self._path, self._max_age_s, self._max_bytes = path, max_age_s, max_bytes
        self._refresh, self._clock = refresh, clock
        self._rests_until = 0.0
        self._silent_until: dict[str, float] = {}
        self._stored = 0  # calls that stored something
        # A fork has no threads that would end the flights of its parent.
        self._flights: dict[tuple[int, bytes], Future[CacheEntry | None]] = {}
        self._file = CacheFile(path)

    async def through(self, kind: str, key: object, make: Callable[[], Awaitable[bytes]]) -> CacheEntry:
        """Returns the entry for `key`, any JSON value. If it is missing, stores what `make` returns.

        In one process `make` runs once for each key at a time: other callers wait for it, and share its value
        or its `RetrievalError`. Raises the error of `make`, which is not stored, and `RetrievalError` for an
        entry that is missing offline.
        """
        name = (os.getpid(), _digest(kind, key))
        own_flight: Future[CacheEntry | None] = Future()
        own_flight.set_running_or_notify_cancel()  # a caller who stops waiting must not cancel it for all
        while (flight := self._flights.setdefault(name, own_flight)) is not own_flight:
            if (entry := await asyncio.wrap_future(flight)) is not None:
                return entry
        try:
            entry = await self._looked_up(kind, key, make)
        except BaseException as error:
            del self._flights[name]
            if isinstance(error, RetrievalError):
                own_flight.set_exception(error)
            else:  # such as a cancellation: the next caller who waits takes over
                own_flight.set_result(None)
            raise
        del self._flights[name]
        own_flight.set_result(entry)
        return entry

    async def get(self, kind: str, key: object) -> CacheEntry | None:
        """Returns the entry for `key`; None if it is missing or too old, and always with `refresh`."""
        return (await self.get_all(kind, [key]))[0]

    async def get_all(self, kind: str, keys: Sequence[object]) -> list[CacheEntry | None]:
        """Returns the entry for each key; None if it is missing or too old, and always with `refresh`."""
        if self._refresh or not keys:
            return [None] * len(keys)
        digests = [_digest(kind, key) for key in keys]
        rows = await asyncio.to_thread(self._read, digests)
        now, most = self._clock(), self._max_age_s[kind]
        entries = (_entry(rows.get(digest), now - most) for digest in digests)
        return [entry if entry and (entry.fresh or self.offline) else None for entry in entries]

    async def stored(self, kind: str, key: object) -> bytes | None:
        """Returns the value for `key` of any age, even with `refresh`, to show a source; None if missing."""
        digest = _digest(kind, key)
        row = (await asyncio.to_thread(self._read, [digest])).get(digest)
        return row.value if row else None

    async def put_all(self, kind: str, pairs: Sequence[tuple[object, bytes]]) -> None:
        """Stores a value for each key, all at once."""
        await self._store(kind, pairs, self._clock())

    def close(self) -> None:
        """Closes the file. The next use opens it again."""
        self._file.close()

    async def aclose(self) -> None:
        """`close` for async callers. It waits for reads and writes that are under way."""
        await asyncio.to_thread(self.close)

    async def _looked_up(self, kind: str, key: object, make: Callable[[], Awaitable[bytes]]) -> CacheEntry:
        if (entry := await self.get(kind, key)) is not None:
            return entry
        if self.offline:
            raise RetrievalError(
                f"not in the cache, and offline: {kind} {_words(key)!r}: run it once without offline"
            )
        value = await make()
        now = self._clock()
        await self._store(kind, [(key, value)], now)
        return CacheEntry(value, _time(now), fresh=True)

    async def _store(self, kind: str, pairs: Sequence[tuple[object, bytes]], now: float) -> None:
        rows = [CacheRow(_digest(kind, key), kind, now, value) for key, value in pairs]
        await asyncio.to_thread(self._write, rows)

    def _read(self, digests: Sequence[bytes]) -> dict[bytes, CacheRow]:
        try:
            rows, damage = self._file.read(digests)
        except (sqlite3.Error, InputError) as error:
            self._say("read", error)
            return {}
        if damage is not None:  # the damaged entry is made and stored again
            self._say("read", damage)
        return rows

    def _write(self, rows: Sequence[CacheRow]) -> None:
        if time.monotonic() < self._rests_until:
            return
        try:
            self._file.write(rows)
            if self._stored % PRUNE_EVERY == 0:
                now = self._clock()
                since = {kind: now - most - KEPT_S for kind, most in self._max_age_s.items()}
                self._file.prune(since, self._max_bytes)
            self._stored += 1
        except (sqlite3.Error, InputError) as error:
            self._rests_until = time.monotonic() + REST_S
            self._say("written", error)

    def _say(self, action: str, error: Exception) -> None:
        """Logs the failure of a read or write as a warning, at most once in 60 seconds each."""
        if time.monotonic() >= self._silent_until.get(action, 0.0):
            self._silent_until[action] = time.monotonic() + REST_S
            cure = "let it be written, with room on its disk, or delete it where it is damaged"
            _log.warning("cache %r cannot be %s (%s): %s", str(self._path), action, error, cure)


def _canonical(key: object) -> str:
    return json.dumps(key, sort_keys=True, separators=(",", ":"))


def _digest(kind: str, key: object) -> bytes:
    return sha256(_canonical([kind, key]).encode()).digest()


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _entry(row: CacheRow | None, oldest: float) -> CacheEntry | None:
    return row and CacheEntry(row.value, _time(row.stored_at), row.stored_at >= oldest)


def _words(key: object) -> str:
    """Names a key for an error message: by its last text, which is a query or an address."""
    listed = key if isinstance(key, (list, tuple)) else [key]
    parts = [part for part in listed if isinstance(part, str)]
    return (parts[-1] if parts else _canonical(key))[:100]
