"""What the outside world answered before, in one file that many runs share: searches, pages and scores."""

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
from rarr.retrievers.web.cache_file import CacheFile, Row

KEPT_S = 30 * 86_400.0
"""Seconds that an entry is kept after it became too old: runs offline are served such ones as well."""
REST_S = 60.0  # without another try to write after one that failed, which may have waited for long
PRUNE_EVERY = 64  # times that something is stored

_log = logging.getLogger("rarr")


class Entry(NamedTuple):
    """`fresh`: it is no older than its kind may be. Only a cache that is offline gives others."""

    value: bytes
    stored_at: datetime
    fresh: bool


class Cache:
    """One file, safe with many processes, threads and event loops.

    A file that fails during a run, as on a full disk, costs what it would have saved: that is logged as a
    warning, what cannot be read is made again, and what cannot be stored is given out all the same.
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
        """`max_age_s`: the seconds that entries of each kind are good for; `math.inf` for ever.

        `offline`: nothing is made, and entries do not get too old. `refresh`: nothing is read, all is made
        and stored anew. Beyond `max_bytes` the oldest entries go.

        Raises `InputError` for a file that is damaged, is something else or cannot be opened.
        """
        if offline and refresh:
            raise InputError("offline and refresh contradict each other: choose one")
        self.offline = offline
        self._path, self._max_age_s, self._max_bytes = path, max_age_s, max_bytes
        self._refresh, self._clock = refresh, clock
        self._rests_until = 0.0
        self._silent_until: dict[str, float] = {}
        self._stored = 0  # times
        # A fork has no threads that would end the flights of its parent.
        self._flights: dict[tuple[int, bytes], Future[Entry | None]] = {}
        self._file = CacheFile(path)

    async def through(self, kind: str, key: object, make: Callable[[], Awaitable[bytes]]) -> Entry:
        """The entry for `key`, which is any JSON, else what `make` gives, which is stored.

        For one key there is one `make` at a time in a process: others wait for it, and share its answer or
        its `RetrievalError`. Raises what it raises, which is not stored, and `RetrievalError` for what is
        missing offline.
        """
        name = (os.getpid(), _digest(kind, key))
        mine: Future[Entry | None] = Future()
        mine.set_running_or_notify_cancel()  # so that nobody who stops waiting cancels it for all
        while (flight := self._flights.setdefault(name, mine)) is not mine:
            if (entry := await asyncio.wrap_future(flight)) is not None:
                return entry
        try:
            entry = await self._looked_up(kind, key, make)
        except BaseException as error:
            del self._flights[name]
            if isinstance(error, RetrievalError):
                mine.set_exception(error)
            else:  # a cancellation, say, is its own: the next one who waits takes over
                mine.set_result(None)
            raise
        del self._flights[name]
        mine.set_result(entry)
        return entry

    async def get(self, kind: str, key: object) -> Entry | None:
        """The entry for `key`; None where it is to be made."""
        return (await self.get_all(kind, [key]))[0]

    async def get_all(self, kind: str, keys: Sequence[object]) -> list[Entry | None]:
        """The entry for each key; None where it is to be made."""
        if self._refresh or not keys:
            return [None] * len(keys)
        digests = [_digest(kind, key) for key in keys]
        rows = await asyncio.to_thread(self._read, digests)
        now, most = self._clock(), self._max_age_s[kind]
        found = (_entry(rows.get(digest), now - most) for digest in digests)
        return [entry if entry and (entry.fresh or self.offline) else None for entry in found]

    async def stored(self, kind: str, key: object) -> bytes | None:
        """What is kept for `key`, however old it is, and also with `refresh`: to show it, not to go by it."""
        digest = _digest(kind, key)
        found = (await asyncio.to_thread(self._read, [digest])).get(digest)
        return found.value if found else None

    async def put_all(self, kind: str, pairs: Sequence[tuple[object, bytes]]) -> None:
        """Stores a value for each key, all at once."""
        await self._store(kind, pairs, self._clock())

    def close(self) -> None:
        """Closes the file. A cache that is used again opens it again."""
        self._file.close()

    async def aclose(self) -> None:
        """`close` for async callers: it waits for whoever reads or writes."""
        await asyncio.to_thread(self.close)

    async def _looked_up(self, kind: str, key: object, make: Callable[[], Awaitable[bytes]]) -> Entry:
        if (entry := await self.get(kind, key)) is not None:
            return entry
        if self.offline:
            raise RetrievalError(
                f"not in the cache, and offline: {kind} {_words(key)!r}: run it once without offline"
            )
        value = await make()
        now = self._clock()
        await self._store(kind, [(key, value)], now)
        return Entry(value, _time(now), fresh=True)

    async def _store(self, kind: str, pairs: Sequence[tuple[object, bytes]], now: float) -> None:
        rows = [Row(_digest(kind, key), kind, now, value) for key, value in pairs]
        await asyncio.to_thread(self._write, rows)

    def _read(self, digests: Sequence[bytes]) -> dict[bytes, Row]:
        try:
            found, damage = self._file.read(digests)
        except (sqlite3.Error, InputError) as error:
            self._say("read", error)
            return {}
        if damage is not None:  # what it was is made again, and then stored in its place
            self._say("read", damage)
        return found

    def _write(self, rows: Sequence[Row]) -> None:
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

    def _say(self, what: str, error: Exception) -> None:
        """Once in a while."""
        if time.monotonic() >= self._silent_until.get(what, 0.0):
            self._silent_until[what] = time.monotonic() + REST_S
            cure = "let it be written, with room on its disk, or delete it where it is damaged"
            _log.warning("cache %r cannot be %s (%s): %s", str(self._path), what, error, cure)


def _canonical(key: object) -> str:
    return json.dumps(key, sort_keys=True, separators=(",", ":"))


def _digest(kind: str, key: object) -> bytes:
    return sha256(_canonical([kind, key]).encode()).digest()


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _entry(row: Row | None, oldest: float) -> Entry | None:
    return row and Entry(row.value, _time(row.stored_at), row.stored_at >= oldest)


def _words(key: object) -> str:
    """What a person asked for, of a key: its last words, which are a query's or an address."""
    listed = key if isinstance(key, (list, tuple)) else [key]
    parts = [part for part in listed if isinstance(part, str)]
    return (parts[-1] if parts else _canonical(key))[:100]
