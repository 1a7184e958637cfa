"""Caches the answers of searches and pages in a folder that many runs share."""

import asyncio
import json
import logging
import os
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from rarr.errors import InputError, RetrievalError
from rarr.tools.concurrency import PerLoop
from rarr.tools.storage.files import private_folder

MAX_AGE_S = 7 * 86_400.0
"""Seconds for which an entry is valid."""
KEPT_S = 30 * 86_400.0
"""Seconds that an entry is kept after it became too old: offline runs use old entries as well."""
_REST_S = 60.0  # seconds without writing and warning after a failure, which may have taken long
_PRUNE_EVERY = 256  # stored entries

_log = logging.getLogger("rarr")


class CacheEntry(NamedTuple):
    """A stored value."""

    value: bytes
    stored_at: datetime


class Cache:
    """Stores each value in a file of its own. Many processes, threads and event loops may share the folder.

    A disk that fails during a run, or is full, does not end the run: the failure is logged, an entry that
    cannot be read is made again, and a value that cannot be stored is still returned.
    """

    def __init__(self, folder: Path, *, offline: bool = False, refresh: bool = False) -> None:
        """`offline`: nothing is made, and entries of any age are valid. `refresh`: everything is made anew.

        Raises `InputError` for a folder that cannot be made.
        """
        if offline and refresh:
            raise InputError("offline and refresh contradict each other: choose one")
        try:
            private_folder(folder)  # texts and the questions about them are private
        except OSError as error:
            raise InputError(f"cache {folder} cannot be made ({error.strerror}): name another home") from None
        self._folder, self._offline, self._refresh = folder, offline, refresh
        self._rests_until = {"read": 0.0, "written": 0.0}
        self._stored = 0
        self._turns: PerLoop[WeakValueDictionary[Path, asyncio.Lock]] = PerLoop(WeakValueDictionary)

    async def through(
        self, kind: str, key: Sequence[Any], make: Callable[[], Awaitable[bytes]]
    ) -> CacheEntry:
        """Returns the entry for `key`, a JSON list. If it is missing, stores what `make` returns.

        Callers for one key take turns, so that the others find what the first one stored. Raises the error of
        `make`, which is not stored, and `RetrievalError` for an entry that is missing offline.
        """
        file = self._file(kind, key)
        async with self._turns.get().setdefault(file, asyncio.Lock()):
            entry = None if self._refresh else await self.stored(kind, key)
            if entry and (self._offline or entry.stored_at.timestamp() >= time.time() - MAX_AGE_S):
                return entry
            if self._offline:
                # The last text of a key is a query or an address.
                name = next((part for part in reversed(key) if isinstance(part, str)), "")[:100]
                cure = "run it once without offline"
                raise RetrievalError(f"not in the cache, and offline: {kind} {name!r}: {cure}")
            value, now = await make(), time.time()
            await asyncio.to_thread(self._write, file, now, value)
            return CacheEntry(value, datetime.fromtimestamp(now, UTC))

    async def search(self, key: Sequence[Any], ask: Callable[[], Awaitable[Any]]) -> Any:
        """Returns the results of a search, any JSON value, as `through` does; `ask` searches."""

        async def asked() -> bytes:
            return json.dumps(await ask()).encode()

        return json.loads((await self.through("search", key, asked)).value)

    async def stored(self, kind: str, key: Sequence[Any]) -> CacheEntry | None:
        """Returns the entry for `key` of any age, even with `refresh`, to show a source; None if missing."""
        return await asyncio.to_thread(self._read, self._file(kind, key))

    def _file(self, kind: str, key: Sequence[Any]) -> Path:
        named = json.dumps([kind, key], sort_keys=True, separators=(",", ":"))
        return self._folder / sha256(named.encode()).hexdigest()

    def _read(self, file: Path) -> CacheEntry | None:
        try:
            with file.open("rb") as opened:  # another process may replace it
                stored_at = datetime.fromtimestamp(os.fstat(opened.fileno()).st_mtime, UTC)
                return CacheEntry(zlib.decompress(opened.read()), stored_at)
        except FileNotFoundError:
            return None
        except (OSError, zlib.error) as error:  # the entry is made again
            self._warn("read", error)
            return None

    def _write(self, file: Path, now: float, value: bytes) -> None:
        """Stores an entry: a reader finds all of it or nothing, and a crash damages no other entry."""
        if time.monotonic() < self._rests_until["written"]:
            return
        try:
            handle, name = mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as opened:
                    opened.write(zlib.compress(value))
                os.utime(name, (now, now))
                Path(name).replace(file)
            finally:
                Path(name).unlink(missing_ok=True)
            if self._stored % _PRUNE_EVERY == 0:
                self._prune(now - MAX_AGE_S - KEPT_S)
            self._stored += 1
        except OSError as error:
            self._warn("written", error)

    def _prune(self, oldest: float) -> None:
        for entry in os.scandir(self._folder):
            with suppress(FileNotFoundError):  # another process prunes too
                if entry.stat().st_mtime < oldest:
                    Path(entry).unlink()

    def _warn(self, action: str, why: Exception) -> None:
        if time.monotonic() >= self._rests_until[action]:
            self._rests_until[action] = time.monotonic() + _REST_S
            cure = "let it be written, with room on its disk, or delete it where it is damaged"
            _log.warning("cache %r cannot be %s (%s): %s", str(self._folder), action, why, cure)
