"""Writes the spans of one run during the run, so that a killed run leaves its spans so far.

SQLite waits for the disk and for other processes. So one thread packs and writes the spans that the runs hand
over, in their order, while the event loop continues.
"""

import asyncio
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rarr.errors import RarrError
from rarr.prompts import Prompt
from rarr.records import Notice, Revision
from rarr.tools.concurrency import in_order, result_of
from rarr.tools.trace_spans import TraceSpan
from rarr.traces.record_references import Packer
from rarr.traces.store import SpanRow, TraceStore
from rarr.traces.trace_file import RunFacts
from rarr.traces.trace_reader import Trace

_TOGETHER_S = 0.02  # seconds of a run that are written at once, which costs less; a crash loses at most these
_LAST_BUSY_S = 2.0
BUSY_S = 0.05
"""Seconds to wait while another process writes. The traces of other runs wait meanwhile."""
FAILURES = (sqlite3.Error, RarrError, TypeError, ValueError, OSError)
"""The errors that end a trace, but not its run."""
FAILED = "trace_failed"
"""The code of the warning about such a failure."""


class Numbering:
    """The base of recorders: a clock that is not adjusted during a run, and the numbers of spans."""

    def __init__(self) -> None:
        self._epoch = time.time() - time.perf_counter()
        self._numbers = 0

    def now(self) -> float:
        return self._epoch + time.perf_counter()

    def number(self) -> int:
        self._numbers += 1
        return self._numbers


class RunRecorder(Numbering):
    """Hands the spans of one run to the thread that writes. A failed write loses the trace, not the run."""

    def __init__(self, store: TraceStore, warn: Callable[[str], None], *, at_once: bool = False) -> None:
        """`warn` is called once, with one line, if the trace cannot be written.

        Answers are written `at_once` where a run may be resumed, so that no paid answer is lost.
        """
        super().__init__()
        self._warn, self._at_once = warn, at_once
        self._due: asyncio.TimerHandle | None = None
        self._started = self.now()
        self._writer = _SpanWriter(store, lambda message: self._warn(message))

    async def start(self, run_id: str, facts: RunFacts) -> None:
        """Writes the run with its input as the start of a trace."""
        await self._do("begin", run_id, self._started, facts)

    async def go_on(self, trace: Trace, facts: RunFacts) -> None:
        """Continues the trace of a run that was interrupted."""
        self._numbers = max((span.number for span in trace.spans), default=0)
        self._started -= trace.seconds
        await self._do("go_on", trace, facts)

    def begin(self, span: TraceSpan) -> None:
        # A copy, because the body grows during the span while another thread reads the copy.
        self.end(replace(span, body=dict(span.body)))

    def end(self, span: TraceSpan) -> None:
        self._writer.spans.append(span)
        self._write_soon()

    def keep(self, prompt: Prompt) -> None:
        """Hands over a prompt to write, unless a prompt with this hash was handed over before."""
        if prompt.hash not in self._writer.seen:
            self._writer.seen.add(prompt.hash)
            self._writer.prompts.append(prompt)

    async def saved(self) -> None:
        """With `at_once`, waits until the spans so far are written; else does nothing."""
        if self._at_once:
            await self.flush()

    async def flush(self) -> None:
        """Waits until the spans so far are written. If another process is writing, they are written later."""
        self._cancel_due()
        await self._do("write")

    def flush_at_end(self) -> None:
        """Writes the spans so far, and blocks for at most 2 s. A thread calls it before the process ends."""
        in_order(self._writer.do, "write_last").result(_LAST_BUSY_S)

    async def finished(self, revision: Revision) -> Revision:
        """Writes the end of the run. Returns the revision, with a warning if the trace is incomplete."""
        messages: list[str] = []
        self._warn = messages.append
        await result_of(self.ended("", revision))
        failed = [Notice(code=FAILED, message=message, node="") for message in messages]
        return revision.model_copy(update={"warnings": (*revision.warnings, *failed)}) if failed else revision

    def ended(self, error: str, revision: Revision | None = None) -> "Future[None]":
        """Writes the end of the run, with its error or revision, in a thread. The caller may wait for it."""
        self._cancel_due()
        return in_order(self._writer.do, "finish", revision, error, self.now() - self._started)

    async def _do(self, step: str, *arguments: Any) -> None:
        await result_of(in_order(self._writer.do, step, *arguments))

    def _write_soon(self) -> None:
        """Plans a write in this event loop. In a thread without a loop, the next event writes."""
        if self._due is None and not self._writer.failed:
            with suppress(RuntimeError):
                self._due = asyncio.get_running_loop().call_later(_TOGETHER_S, self._write_now)

    def _write_now(self) -> None:
        self._due = None
        asyncio.wrap_future(in_order(self._writer.do, "write")).add_done_callback(self._write_the_rest)

    def _write_the_rest(self, _: object) -> None:
        if self._writer.rows:
            self._write_soon()

    def _cancel_due(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


class _SpanWriter:
    """Packs and writes the trace of one run, in the thread that writes traces.

    `spans` and `prompts` are queues in which the run hands them over.
    """

    def __init__(self, store: TraceStore, warn: Callable[[str], None]) -> None:
        self.spans: deque[TraceSpan] = deque()
        self.prompts: deque[Prompt] = deque()
        self.seen: set[str] = set()
        self.rows: dict[int, SpanRow] = {}  # packed, but not written yet
        self.failed = False
        self._new: dict[str, Prompt] = {}  # not written yet
        self._store, self._warn, self._packer, self._run = store, warn, Packer(), 0

    def do(self, step: str, *arguments: Any) -> None:
        """Calls a method. The first failure is reported, and later calls do nothing."""
        if not self.failed:
            try:
                getattr(self, step)(*arguments)
            except FAILURES as error:
                self.failed = True
                self._warn(f"the trace of this run is not kept: {' '.join(str(error).split())[:200]}")

    def begin(self, run_id: str, started: float, facts: RunFacts) -> None:
        self._run = self._store.begin(run_id, started, facts)

    def go_on(self, trace: Trace, facts: RunFacts) -> None:
        self._run = self._store.reopen(trace.run_id, facts)
        packed = [number for span in trace.spans for number, _, _ in span.records]
        self._packer = Packer(max(packed, default=0) + 1)

    def write(self) -> None:
        """Writes everything that was handed over. If another process is writing, it stays in `rows`."""
        try:
            self._write()
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                raise

    def write_last(self) -> None:
        """Writes everything at the end of the process, and waits up to 2 s while another process writes."""
        self._store.wait(_LAST_BUSY_S)
        self.write()

    def finish(self, revision: Revision | None, error: str, seconds: float) -> None:
        self._store.wait(_LAST_BUSY_S)  # this is the last chance to write
        try:
            self._write()
            packed, records = self._packer.pack(revision and dict(revision))
            self._store.finish(self._run, seconds, error, records, packed if revision else None)
        finally:
            self._store.wait(BUSY_S)

    def _write(self) -> None:
        while self.prompts:
            prompt = self.prompts.popleft()
            self._new[prompt.hash] = prompt
        while self.spans:
            span = self.spans.popleft()
            body, records = self._packer.pack(recorded_body(span.body))
            place = (span.number, span.parent, span.kind, span.name, span.about, span.started)
            self.rows[span.number] = (*place, span.seconds, span.error, records, body)
        if self.rows or self._new:
            self._store.write(self._run, self.rows.values(), self._new)
            self.rows, self._new = {}, {}


def recorded_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the body with the passages of a search replaced by [source, title, count] to save space."""
    update = body.get("update")
    if not update or "passages" not in update:
        return dict(body)
    documents = {}
    for query, passages in update["passages"].items():
        counts = Counter((passage.source, passage.title) for passage in passages)
        documents[query] = [[*place, count] for place, count in counts.items()]
    return {**body, "update": {**update, "passages": documents}}
