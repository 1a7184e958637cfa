"""Caches the answers of searches and pages in one file that many runs share."""

import asyncio
import json
import logging
import sqlite3
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from rarr.errors import InputError, RetrievalError
from rarr.tools.concurrency import PerLoop
from rarr.tools.storage.database import Database, Schema

MAX_AGE_S = 7 * 86_400.0
"""Seconds for which an entry is valid."""
KEPT_S = 30 * 86_400.0
"""Seconds that an entry is kept after it became too old: offline runs use old entries as well."""
_REST_S = 60.0  # seconds without writing and warning after a failure, which may have taken long
_PRUNE_EVERY = 64  # calls that store something

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
_READ = "SELECT value, stored_at FROM entries WHERE digest = ?"
_WRITE = "REPLACE INTO entries (digest, kind, stored_at, value) VALUES (?, ?, ?, ?)"
_REMOVE_OLD = "DELETE FROM entries WHERE kind = ? AND stored_at < ?"


class CacheEntry(NamedTuple):
    """A stored value."""

    value: bytes
    stored_at: datetime


class Cache:
    """Stores values in one SQLite file by kind and key. Many processes, threads and event loops may share it.

    A file that fails during a run, as on a full disk, does not end the run: the failure is logged, an entry
    that cannot be read is made again, and a value that cannot be stored is still returned.
    """

    def __init__(self, path: Path, *, offline: bool = False, refresh: bool = False) -> None:
        """`offline`: nothing is made, and entries of any age are valid. `refresh`: everything is made anew.

        Raises `InputError` for a file that is damaged, is not a cache or cannot be opened.
        """
        if offline and refresh:
            raise InputError("offline and refresh contradict each other: choose one")
        self._path, self._offline, self._refresh = path, offline, refresh
        self._rests_until = {"read": 0.0, "written": 0.0}
        self._stored = 0  # calls that stored something
        self._turns: PerLoop[WeakValueDictionary[bytes, asyncio.Lock]] = PerLoop(WeakValueDictionary)
        self._file = Database(path, SCHEMA)

    async def through(
        self, kind: str, key: Sequence[Any], make: Callable[[], Awaitable[bytes]]
    ) -> CacheEntry:
        """Returns the entry for `key`, a JSON list. If it is missing, stores what `make` returns.

        Callers for one key take turns, so that the others find what the first one stored. Raises the error of
        `make`, which is not stored, and `RetrievalError` for an entry that is missing offline.
        """
        digest = _digest(kind, key)
        async with self._turns.get().setdefault(digest, asyncio.Lock()):
            entry = None if self._refresh else await self.stored(kind, key)
            if entry and (self._offline or entry.stored_at.timestamp() >= time.time() - MAX_AGE_S):
                return entry
            if self._offline:
                # The last text of a key is a query or an address.
                name = next((part for part in reversed(key) if isinstance(part, str)), "")[:100]
                cure = "run it once without offline"
                raise RetrievalError(f"not in the cache, and offline: {kind} {name!r}: {cure}")
            value, now = await make(), time.time()
            await asyncio.to_thread(self._write, digest, kind, now, value)
            return CacheEntry(value, datetime.fromtimestamp(now, UTC))

    async def search(self, key: Sequence[Any], ask: Callable[[], Awaitable[Any]]) -> Any:
        """Returns the results of a search, any JSON value, as `through` does; `ask` searches."""

        async def asked() -> bytes:
            return json.dumps(await ask()).encode()

        return json.loads((await self.through("search", key, asked)).value)

    async def stored(self, kind: str, key: Sequence[Any]) -> CacheEntry | None:
        """Returns the entry for `key` of any age, even with `refresh`, to show a source; None if missing."""
        return await asyncio.to_thread(self._read, _digest(kind, key))

    async def aclose(self) -> None:
        """Closes the file, after the reads and writes that are under way. The next use opens it again."""
        await asyncio.to_thread(self._file.close)

    def _read(self, digest: bytes) -> CacheEntry | None:
        try:
            with self._file.used() as sqlite:
                row = sqlite.execute(_READ, (digest,)).fetchone()
            return row and CacheEntry(zlib.decompress(row[0]), datetime.fromtimestamp(row[1], UTC))
        except (sqlite3.Error, InputError, zlib.error, TypeError) as error:  # the entry is made again
            self._warn("read", error)
            return None

    def _write(self, digest: bytes, kind: str, now: float, value: bytes) -> None:
        if time.monotonic() < self._rests_until["written"]:
            return
        try:
            with self._file.transaction() as sqlite:
                sqlite.execute(_WRITE, (digest, kind, now, zlib.compress(value)))
                if self._stored % _PRUNE_EVERY == 0:  # the file does not shrink
                    sqlite.execute(_REMOVE_OLD, (kind, now - MAX_AGE_S - KEPT_S))
            self._stored += 1
        except (sqlite3.Error, InputError) as error:
            self._warn("written", error)

    def _warn(self, action: str, why: Exception) -> None:
        if time.monotonic() >= self._rests_until[action]:
            self._rests_until[action] = time.monotonic() + _REST_S
            cure = "let it be written, with room on its disk, or delete it where it is damaged"
            _log.warning("cache %r cannot be %s (%s): %s", str(self._path), action, why, cure)


def _digest(kind: str, key: Sequence[Any]) -> bytes:
    return sha256(json.dumps([kind, key], sort_keys=True, separators=(",", ":")).encode()).digest()
