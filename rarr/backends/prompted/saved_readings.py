"""Saves the answers of blind readings on disk, so that no later run asks the same of the same source.

A reading does not depend on the rest of the text, so texts over the same documents share their readings. A
reading is found by a digest of everything that decides about its answer: the model, its server, the prompt,
the messages with the source, the schema and the parameters. The file has digests and answers, but no
questions and no sources.
"""

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from rarr.errors import InputError
from rarr.retrievers.web.cache_file import CacheFile, CacheRow
from rarr.settings import installed_version
from rarr.tools.models.chat import ChatRequest, Sample
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from rarr.tools.storage.damaged_database import is_damage, set_aside

REST_S = 60.0
"""Seconds in which a file that failed is left alone: a lock of another process may have taken long."""
PRUNE_EVERY = 64  # writes
_KIND = "reading"

_log = logging.getLogger("rarr")
_Result = TypeVar("_Result")


class SavedReadings:
    """Answers of language models to earlier requests (readings), in one SQLite file. The first use opens it.

    Many processes and threads may share it. A file that fails never ends a run: the model is asked, as
    without the file, and one warning is logged. A damaged file is set aside, and a new file begun.
    """

    def __init__(self, path: Path, *, max_bytes: float, refresh: bool = False) -> None:
        """Beyond `max_bytes` the oldest answers are removed. `refresh`: all are asked, and saved anew."""
        self._path, self._max_bytes, self._refresh = path, max_bytes, refresh
        self._version = installed_version()  # another version may read an answer in another way
        self._file: CacheFile | None = None
        self._rests_until: dict[str, float] = {}
        self._warned = False
        self._written = 0

    async def get(self, model: BudgetedChat, ask: ChatRequest) -> Sample | None:
        """Returns the saved answer of `model` to this request; None if there is none."""
        if model.saved_as is None or self._refresh:
            return None
        return await asyncio.to_thread(self._read, model.saved_as, ask)

    async def put(self, model: BudgetedChat, ask: ChatRequest, answer: Sample) -> None:
        """Saves an answer, unless the model's server is not known."""
        if model.saved_as is not None:
            await asyncio.to_thread(self._write, model.saved_as, ask, answer)

    async def aclose(self) -> None:
        """Closes the file. The next use opens it again."""
        if self._file is not None:
            await asyncio.to_thread(self._file.close)

    def _read(self, saved_as: str, ask: ChatRequest) -> Sample | None:
        digest = _digest(self._version, saved_as, ask)
        rows, damage = self._tried("read", lambda file: file.read([digest])) or ({}, None)
        if damage is not None:  # of this value alone: the next answer replaces it
            self._warn(f"a reading in {str(self._path)!r} is damaged, and asked for again: {damage}")
        return _answer(rows[digest]) if digest in rows else None

    def _write(self, saved_as: str, ask: ChatRequest, answer: Sample) -> None:
        digest = _digest(self._version, saved_as, ask)
        row = CacheRow(digest, _KIND, time.time(), json.dumps([digest.hex(), *answer]).encode())
        self._tried("written", lambda file: self._add(file, row))

    def _add(self, file: CacheFile, row: CacheRow) -> None:
        file.write([row])
        if self._written % PRUNE_EVERY == 0:
            file.prune({}, int(self._max_bytes))
        self._written += 1

    def _tried(self, action: str, use: Callable[[CacheFile], _Result]) -> _Result | None:
        """Returns the result of `use`; None if the file fails, or failed with this action a minute ago."""
        if time.monotonic() < self._rests_until.get(action, 0.0):
            return None
        try:
            if self._file is None:
                self._file = CacheFile(self._path)
            return use(self._file)
        except (sqlite3.Error, InputError) as error:
            self._failed(action, error)
            return None

    def _failed(self, action: str, error: Exception) -> None:
        if is_damage(error) and self._is_replaced():
            return
        self._rests_until[action] = time.monotonic() + REST_S
        reason = f"readings in {str(self._path)!r} cannot be {action} ({error})"
        self._warn(f"{reason}: correct that, or set readings to false")

    def _is_replaced(self) -> bool:
        """Sets the damaged file aside, and returns True; False if that fails."""
        if self._file is not None:
            self._file.close()
        try:
            aside = set_aside(self._path)
        except OSError:
            return False
        if aside is not None:
            self._warn(f"readings in {str(self._path)!r} are damaged: the file was renamed to {aside.name!r}")
        return True

    def _warn(self, message: str) -> None:
        """Logs the first warning; repeating it adds nothing."""
        if not self._warned:
            self._warned = True
            _log.warning(message)


def _digest(version: str, saved_as: str, ask: ChatRequest) -> bytes:
    request = (ask.prompt, ask.messages, dict(ask.schema), ask.samples)
    parameters = (ask.temperature, ask.max_tokens, ask.probability)
    parts = [version, saved_as, *request, *parameters]
    return sha256(json.dumps(parts, sort_keys=True).encode()).digest()


def _answer(row: CacheRow) -> Sample | None:
    """Reads a saved answer; None for a value of another form or request, which the next answer replaces.

    The value names its request too: the index of a damaged file may lead to the value of another.
    """
    try:
        digest, text, probability = json.loads(row.value)
    except (ValueError, TypeError):
        return None
    is_sample = isinstance(text, str) and (probability is None or isinstance(probability, float))
    return Sample(text, probability) if is_sample and digest == row.digest.hex() else None
