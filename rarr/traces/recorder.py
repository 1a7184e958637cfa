"""Writes the spans of one run while it goes on, so that a run that is killed leaves what it had."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from rarr.errors import RarrError
from rarr.prompts import Prompt
from rarr.records import Notice, Passage, Revision
from rarr.tools.spans import Span
from rarr.traces.file import Facts
from rarr.traces.packing import Packer
from rarr.traces.store import Row, TraceStore
from rarr.traces.trace import Trace

_TOGETHER_S = 0.02  # of a run are written at once: that costs less, and a crash loses no more
_LAST_BUSY_S = 2.0
BUSY_S = 0.05
"""To wait for another process that writes: an event loop stands still meanwhile."""
FAILURES = (sqlite3.Error, RarrError, TypeError, ValueError, OSError)
"""What a trace may fail by."""
FAILED = "trace_failed"
"""The code of the warning that says so."""


class Numbering:
    """What recorders share: a clock that nobody sets, and the numbers of spans."""

    def __init__(self) -> None:
        self._epoch = time.time() - time.perf_counter()
        self._numbers = 0

    def now(self) -> float:
        return self._epoch + time.perf_counter()

    def number(self) -> int:
        self._numbers += 1
        return self._numbers


class RunRecorder(Numbering):
    """The `Recorder` of one run. What it cannot write costs the trace, never the run."""

    def __init__(self, store: TraceStore, warn: Callable[[str], None], *, at_once: bool = False) -> None:
        """`warn` is told once, in a line, that the trace is not kept.

        Answers are written `at_once` where a run may be resumed: what was paid for is not to be lost.
        """
        super().__init__()
        self._store, self._warn, self._at_once = store, warn, at_once
        self._packer = Packer()
        self._rows: dict[int, Row] = {}  # not yet written
        self._new: dict[str, Prompt] = {}
        self._known: set[str] = set()
        self._failed = False
        self._due: asyncio.TimerHandle | None = None
        self._started = self.now()
        self._run = 0

    def start(self, run_id: str, facts: Facts) -> None:
        """Begins the trace of a run."""
        self._trying(lambda: self._begin(run_id, facts))

    def go_on(self, trace: Trace, facts: Facts) -> None:
        """Adds to the trace of a run that was ended."""
        self._trying(lambda: self._go_on(trace, facts))

    def begin(self, span: Span) -> None:
        self._trying(lambda: self._add_begun(span))
        self._write_soon()

    def end(self, span: Span) -> None:
        self._trying(lambda: self._add(span))
        if self._at_once and span.kind == "request":
            self.flush()
        else:
            self._write_soon()

    def keep(self, prompt: Prompt) -> None:
        if prompt.hash not in self._known:
            self._known.add(prompt.hash)
            self._new[prompt.hash] = prompt

    def flush(self) -> None:
        """Writes what has come since the last time; later, where another process writes just then."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if self._rows or self._new:
            self._trying(self._write)

    def flush_from_outside(self) -> Callable[[], None]:
        """What has another thread flush it, in the event loop that runs now, and waits for that."""
        loop = asyncio.get_running_loop()

        async def flush() -> None:
            self._trying(lambda: self._store.wait(_LAST_BUSY_S))  # now or never
            self.flush()

        return lambda: asyncio.run_coroutine_threadsafe(flush(), loop).result(_LAST_BUSY_S)

    def finished(self, revision: Revision) -> Revision:
        """The run has ended with this revision; where that is not kept, with a warning that says so."""
        said: list[str] = []
        self._warn = said.append
        self._finish(revision, "")
        failed = [Notice(code=FAILED, message=one, node="") for one in said]
        return revision.model_copy(update={"warnings": (*revision.warnings, *failed)}) if failed else revision

    def ended(self, error: str) -> None:
        """The run has ended without a revision."""
        self._finish(None, error)

    def _begin(self, run_id: str, facts: Facts) -> None:
        self._run = self._store.begin(run_id, self._started, facts)

    def _go_on(self, trace: Trace, facts: Facts) -> None:
        self._run = self._store.reopen(trace.run_id, facts)
        self._numbers = max((span.number for span in trace.spans), default=0)
        packed = [number for span in trace.spans for number, _, _ in span.records]
        self._packer = Packer(max(packed, default=0) + 1)
        self._started -= trace.seconds

    def _add_begun(self, span: Span) -> None:
        self._rows[span.number] = _row(span, "[]", self._packer.pack(span.body)[0] if span.body else "{}")

    def _add(self, span: Span) -> None:
        body, records = self._packer.pack(told_body(span.body))
        self._rows[span.number] = _row(span, records, body)

    def _write(self) -> None:
        try:
            self._store.write(self._run, self._rows.values(), self._new)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            self._write_soon()
            return
        self._rows, self._new = {}, {}

    def _finish(self, revision: Revision | None, error: str) -> None:
        self._trying(lambda: self._store.wait(_LAST_BUSY_S))  # now or never
        self.flush()
        self._trying(lambda: self._close(revision, error))
        self._trying(lambda: self._store.wait(BUSY_S))

    def _close(self, revision: Revision | None, error: str) -> None:
        packed, records = self._packer.pack(revision and dict(revision))
        seconds = self.now() - self._started
        self._store.finish(self._run, seconds, error, records, packed if revision else None)

    def _write_soon(self) -> None:
        """In this event loop; from a thread without one, with what comes next."""
        if self._due is None and not self._failed:
            with suppress(RuntimeError):
                self._due = asyncio.get_running_loop().call_later(_TOGETHER_S, self.flush)

    def _trying(self, write: Callable[[], None]) -> None:
        if self._failed:
            return
        try:
            write()
        except FAILURES as error:
            self._failed = True
            self._warn(f"the trace of this run is not kept: {' '.join(str(error).split())[:200]}")


def told_body(body: Mapping[str, Any]) -> dict[str, Any]:
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
