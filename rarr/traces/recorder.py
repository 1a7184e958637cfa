"""Writes the spans of one run while it goes on, so that a run that is killed leaves what it had."""

import asyncio
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rarr.errors import RarrError
from rarr.prompts import Prompt
from rarr.records import Notice, Passage, Revision
from rarr.tools.spans import Span
from rarr.traces.file import Facts
from rarr.traces.packing import Packer
from rarr.traces.store import Row, TraceStore

_FAILURES = (sqlite3.Error, RarrError, TypeError, ValueError, OSError)


class RunRecorder:
    """The `Recorder` of one run. What it cannot write costs the trace, never the run."""

    def __init__(self, store: TraceStore, run_id: str, facts: Facts, warn: Callable[[str], None]) -> None:
        """`warn` is told once, in a line, that the trace is not kept."""
        self._store, self._warn = store, warn
        self._packer = Packer()
        self._numbers = 0
        self._rows: dict[int, Row] = {}  # not yet written
        self._new: dict[str, Prompt] = {}
        self._known: set[str] = set()
        self._scheduled = self._failed = False
        self._started = time.perf_counter()
        self._run = 0
        self._trying(lambda: self._begin(run_id, facts))

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def begin(self, span: Span) -> None:
        self._rows[span.number] = _row(span, "[]", "{}")
        self._soon()

    def end(self, span: Span) -> None:
        self._trying(lambda: self._add(span))
        if span.kind == "request":  # it was paid for
            self.flush()
        else:
            self._soon()

    def keep(self, prompt: Prompt) -> None:
        if prompt.hash not in self._known:
            self._known.add(prompt.hash)
            self._new[prompt.hash] = prompt

    def flush(self) -> None:
        """Writes what has come since the last time."""
        self._scheduled = False
        if self._rows or self._new:
            rows, self._rows = self._rows, {}
            prompts, self._new = self._new, {}
            self._trying(lambda: self._store.write(self._run, rows.values(), prompts))

    def finish(self, revision: Revision | None, error: str = "") -> bool:
        """The run has ended, with a revision or an error; whether its trace is kept."""
        self.flush()
        self._trying(lambda: self._finish(revision, error))
        return not self._failed

    def _begin(self, run_id: str, facts: Facts) -> None:
        self._run = self._store.begin(run_id, time.time(), facts)

    def _add(self, span: Span) -> None:
        body, records = self._packer.pack(_told(span.body))
        self._rows[span.number] = _row(span, records, body)

    def _finish(self, revision: Revision | None, error: str) -> None:
        seconds = time.perf_counter() - self._started
        packed, records = self._packer.pack(revision and dict(revision))
        self._store.finish(self._run, seconds, error, records, packed if revision else None)

    def _soon(self) -> None:
        """At the end of this turn of the event loop: what happens at once is written at once."""
        if not (self._scheduled or self._failed):
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self.flush)

    def _trying(self, write: Callable[[], None]) -> None:
        if self._failed:
            return
        try:
            write()
        except _FAILURES as error:
            self._failed = True
            self._warn(f"the trace of this run is not kept: {' '.join(str(error).split())[:200]}")


def facts_of(
    version: str, original: str, context: str | None, settings: dict[str, Any], warnings: Sequence[Notice]
) -> Facts:
    """The facts of a run of this process."""
    return Facts(
        version=version,
        original=original,
        context=context,
        settings=settings,
        warnings=[one.model_dump(mode="json") for one in warnings],
        process=(socket.gethostname(), os.getpid()),
    )


def _told(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body without the passages that nothing was decided by: a page can have hundreds."""
    update = body.get("update")
    if not update or "passages" not in update:
        return dict(body)
    found = {query: _sources(passages) for query, passages in update["passages"].items()}
    return {**body, "update": {**update, "passages": found}}


def _sources(passages: Sequence[Passage]) -> list[list[Any]]:
    """Source, title and number of passages of each document."""
    counts: dict[tuple[str, str], int] = {}
    for one in passages:
        place = (one.source, one.title)
        counts[place] = counts.get(place, 0) + 1
    return [[source, title, count] for (source, title), count in counts.items()]


def _row(span: Span, records: str, body: str) -> Row:
    return (
        span.number, span.parent, span.kind, span.name, span.about,
        span.started, span.seconds, span.error, records, body,
    )  # fmt: skip
