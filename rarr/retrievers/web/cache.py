"""Caches the answers of searches and pages in one file that many runs share."""

import asyncio
import json
import logging
import os
import sqlite3
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from rarr.errors import InputError, RetrievalError
from rarr.tools.storage.database import Database, Schema

KEPT_S = 30 * 86_400.0
"""Seconds that an entry is kept after it became too old: offline runs use old entries as well."""
REST_S = 60.0  # seconds without writing after a failed write, which may have taken long
PRUNE_EVERY = 64  # calls that store something

_log = logging.getLogger("rarr")

SCHEMA = Schema(
    noun="cache",
    name=0x72617272,  # "rarr" in ASCII
    format=1,
    tables="""
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY,  -- grows, so that the lowest are the oldest
            digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, stored_at REAL NOT NULL, value BLOB NOT NULL
        );
        CREATE INDEX by_age ON entries (kind, stored_at);
    """,
)

_AT_ONCE = 200  # rows of one transaction that removes entries, so that others can write in between
_LESS = 0.9  # of the allowed bytes: the size at which removing stops


class CacheRow(NamedTuple):
    """One entry. `digest` identifies its kind and key; `stored_at` is in seconds since 1970."""

    digest: bytes
    kind: str
    stored_at: float
    value: bytes


class CacheFile(Database):
    """The SQLite file that holds the entries of a cache, with compressed values."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, SCHEMA)

    def read(self, digest: bytes) -> CacheRow | None:
        """Returns the entry with this digest; None if there is none. A damaged value is `DatabaseError`."""
        query = "SELECT digest, kind, stored_at, value FROM entries WHERE digest = ?"
        with self.used() as sqlite:
            row = sqlite.execute(query, (digest,)).fetchone()
        try:
            return row and CacheRow._make((*row[:3], zlib.decompress(row[3])))
        except (zlib.error, TypeError) as error:
            raise sqlite3.DatabaseError(f"a value in it is damaged: {error}") from error

    def write(self, row: CacheRow) -> None:
        """Writes an entry. It replaces the entry with the same digest."""
        with self.transaction() as sqlite:
            sqlite.execute(
                "REPLACE INTO entries (digest, kind, stored_at, value) VALUES (?, ?, ?, ?)",
                row._replace(value=zlib.compress(row.value)),
            )

    def prune(self, since: Mapping[str, float], max_bytes: int) -> None:
        """Removes entries stored before their kind's `since`. Above `max_bytes`, removes the oldest to 90%.

        Their space is used again: the file itself does not shrink.
        """
        for kind, oldest in since.items():
            while self._remove("WHERE kind = ? AND stored_at < ? ORDER BY stored_at", (kind, oldest)):
                pass
        if self.size() > max_bytes:
            while self.size() > max_bytes * _LESS and self._remove("ORDER BY id", ()):
                pass

    def _remove(self, which: str, values: Sequence[str | float]) -> int:
        """Removes at most 200 of the entries that the SQL clause `which` selects, and returns how many."""
        query = f"DELETE FROM entries WHERE id IN (SELECT id FROM entries {which} LIMIT {_AT_ONCE})"
        with self.transaction() as sqlite:
            return sqlite.execute(query, values).rowcount


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
        row = None if self._refresh else await asyncio.to_thread(self._read, _digest(kind, key))
        if row is None:
            return None
        fresh = row.stored_at >= self._clock() - self._max_age_s[kind]
        return CacheEntry(row.value, _time(row.stored_at), fresh) if fresh or self.offline else None

    async def stored(self, kind: str, key: object) -> bytes | None:
        """Returns the value for `key` of any age, even with `refresh`, to show a source; None if missing."""
        row = await asyncio.to_thread(self._read, _digest(kind, key))
        return row.value if row else None

    async def put(self, kind: str, key: object, value: bytes) -> CacheEntry:
        """Stores a value for `key`, and returns its entry."""
        now = self._clock()
        await asyncio.to_thread(self._write, CacheRow(_digest(kind, key), kind, now, value))
        return CacheEntry(value, _time(now), fresh=True)

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
        return await self.put(kind, key, await make())

    def _read(self, digest: bytes) -> CacheRow | None:
        try:
            return self._file.read(digest)
        except (sqlite3.Error, InputError) as error:  # an entry that is damaged is made and stored again
            self._say("read", error)
            return None

    def _write(self, row: CacheRow) -> None:
        if time.monotonic() < self._rests_until:
            return
        try:
            self._file.write(row)
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


def _words(key: object) -> str:
    """Names a key for an error message: by its last text, which is a query or an address."""
    listed = key if isinstance(key, (list, tuple)) else [key]
    parts = [part for part in listed if isinstance(part, str)]
    return (parts[-1] if parts else _canonical(key))[:100]
