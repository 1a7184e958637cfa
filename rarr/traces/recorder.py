"""Records the runs of a reviser while they go on, so that a killed run leaves its spans so far.

One thread packs and writes what the runs hand over, in order, while the event loop continues.
"""

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from rarr.components import Baseline
from rarr.errors import RarrError
from rarr.prompts import Prompt
from rarr.records import Notice, Revision
from rarr.settings import VERSION, Settings
from rarr.state import State
from rarr.tools.concurrency import in_order, result_of
from rarr.tools.models.chat import name_of
from rarr.tools.models.failures import redacted
from rarr.tools.models.run_budget import Meter
from rarr.tools.trace_spans import TraceSpan, named, recording
from rarr.traces.store import TraceStore
from rarr.traces.trace_file import FORMAT, PromptFields, RunFacts, StoredSpan, TraceFile, line_of
from rarr.traces.trace_reader import RecordedAnswers, Trace
from rarr.valid_unicode import valid

_TOGETHER_S = 0.02  # seconds of a run that are written at once, which costs less; a crash loses at most these
_PRUNE_EVERY = 200  # runs
_FAILURES = (RarrError, TypeError, ValueError, OSError)  # they end a trace, but not its run
_FAILED = "trace_failed"

_log = logging.getLogger("rarr")


class Recording:
    """Records the runs of one reviser, and hands a resumed run its earlier answers and spending."""

    def __init__(self, settings: Settings, *, resumable: bool = False) -> None:
        """`resumable` writes each answer at once, so that no paid answer is lost."""
        self._settings, self._resumable, self._runs = settings, resumable, 0
        self._store = TraceStore(settings.home)
        self._version, self._values = VERSION, settings_record(settings)

    @asynccontextmanager
    async def of(
        self, run_id: str, start: State, baseline: Baseline, meter: Meter, earlier: Trace | None
    ) -> AsyncIterator["RunRecorder"]:
        """Records the run of the `async with` block, which hands its revision to the recorder at the end.

        `start` is the state with which the run begins. The `meter` of a resumed run gets the answers, the
        spending and the seconds of its `earlier` trace.
        """
        recorder = RunRecorder(self._store, run_id, meter, at_once=self._resumable)
        in_order(self._prune)
        if earlier is not None:
            meter.answers, meter.by_node = RecordedAnswers(earlier).answer, earlier.spending()
            meter.before_s = earlier.seconds
        facts = RunFacts(
            version=self._version,
            original=start["original"],
            context=start["context"],
            settings=self._values | baseline.changes(),
            warnings=[notice.model_dump(mode="json") for notice in start["warnings"]],
        )
        await recorder.start(facts, earlier)
        try:
            with recording(recorder):
                yield recorder
        except BaseException as error:
            written = recorder.ended(named(error))
            if not isinstance(error, GeneratorExit):  # a generator that is closed cannot await
                await result_of(written)
            raise

    async def earlier(self, run_id: str, state: State) -> Trace | None:
        """Reads the trace of a run of this text and context; None if there is no such trace."""

        def read() -> Trace | None:
            try:
                trace = Trace(self._store.read(run_id))
                is_own = trace.revision is None or trace.revision.run_id == run_id
            except _FAILURES:
                return None
            facts = trace.file.facts
            is_same = (facts.original, facts.context) == (state["original"], state["context"])
            return trace if is_own and is_same else None

        return await result_of(in_order(read))

    def _prune(self) -> None:
        """Removes old traces before the first run, and every 200 runs. A failure is only logged."""
        self._runs += 1
        if self._runs % _PRUNE_EVERY == 1:
            try:
                most = self._settings.trace_max_mb * 1e6
                self._store.prune(days=self._settings.trace_days, max_bytes=most)
            except _FAILURES as error:
                _log.warning("old traces are not removed: %s", error)


class RunRecorder:
    """Hands the lines of one run to the thread that writes. A failed write loses the trace, not the run."""

    def __init__(self, store: TraceStore, run_id: str, meter: Meter, *, at_once: bool = False) -> None:
        """The `meter` warns once if the trace cannot be written; `at_once`: as `resumable`."""
        self._store, self._run_id, self._at_once = store, run_id, at_once
        self._warn: Callable[[str], None] = partial(meter.warn, _FAILED)
        self._epoch = time.time() - time.perf_counter()
        self._started, self._numbers = self.now(), 0
        self._new: deque[TraceSpan | Prompt] = deque()
        self._prompts: set[str] = set()
        self._due: asyncio.TimerHandle | None = None
        self._failed = False

    def now(self) -> float:
        """Returns the seconds since 1970, by a clock that is not adjusted during a run."""
        return self._epoch + time.perf_counter()

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    async def start(self, facts: RunFacts, earlier: Trace | None = None) -> None:
        """Writes the run with its input as the start of a trace, or goes on with the `earlier` one."""
        if earlier is not None:
            self._numbers = max((span.number for span in earlier.spans), default=0)
            self._started -= earlier.seconds
        await result_of(self._in_order(self._start, facts, earlier and earlier.file))

    def begin(self, span: TraceSpan) -> None:
        # A copy, because the body grows during the span while another thread reads the copy.
        self.end(replace(span, body=dict(span.body)))

    def end(self, span: TraceSpan) -> None:
        """Hands over a span, and plans a write in this event loop; in a thread, the next event writes."""
        self._new.append(span)
        if self._due is None:
            with suppress(RuntimeError):
                self._due = asyncio.get_running_loop().call_later(_TOGETHER_S, self._write_soon)

    def keep(self, prompt: Prompt) -> None:
        """Hands over a prompt to write, unless it was handed over before."""
        if prompt.hash not in self._prompts:
            self._prompts.add(prompt.hash)
            self._new.append(prompt)

    async def saved(self) -> None:
        """With `at_once`, waits until the spans so far are written; else does nothing."""
        if self._at_once:
            await self.flush()

    async def flush(self) -> None:
        """Waits until the spans so far are written."""
        await result_of(self._write_soon())

    async def finished(self, revision: Revision) -> Revision:
        """Writes the end of the run. Returns the revision, with a warning if the trace is incomplete."""
        messages: list[str] = []
        self._warn = messages.append
        await result_of(self.ended("", revision))
        failed = [Notice(code=_FAILED, message=message, node="") for message in messages]
        return revision.model_copy(update={"warnings": (*revision.warnings, *failed)}) if failed else revision

    def ended(self, error: str, revision: Revision | None = None) -> "Future[None]":
        """Writes the end of the run, with its error or revision, in a thread. The caller may wait for it."""
        self._write_soon()
        return self._in_order(self._end, error, revision, self.now() - self._started)

    def _write_soon(self) -> "Future[None]":
        if self._due is not None:
            self._due.cancel()
            self._due = None
        return self._in_order(self._write)

    def _in_order(self, step: Callable[..., None], *arguments: Any) -> "Future[None]":
        """Hands over a step of writing. The first failure is reported, and later steps do nothing."""

        def guarded() -> None:
            try:
                if not self._failed:
                    step(*arguments)
            except _FAILURES as error:
                self._failed = True
                reason = " ".join(str(error).split())[:200]
                self._warn(f"the trace of this run is not kept: {reason}; or set trace to false")

        return in_order(guarded)

    def _start(self, facts: RunFacts, earlier: TraceFile | None) -> None:
        begun = {"run_id": self._run_id, "started": self._started, "facts": facts.model_dump(mode="json")}
        line = line_of("run", {"format": FORMAT, **begun})
        if earlier is None:
            self._store.begin(self._run_id, line)
        else:
            self._store.rewrite(earlier)
            self._store.write(self._run_id, [line])

    def _write(self) -> None:
        new: dict[int | str, TraceSpan | Prompt] = {}
        while self._new:
            each = self._new.popleft()
            new[each.hash if isinstance(each, Prompt) else each.number] = each  # of a span, the last holds
        if new:
            self._store.write(self._run_id, [_line(each) for each in new.values()])

    def _end(self, error: str, revision: Revision | None, seconds: float) -> None:
        end = {"seconds": seconds, "error": error, "revision": revision}
        self._store.write(self._run_id, [line_of("end", end)])


def _line(each: TraceSpan | Prompt) -> str:
    if isinstance(each, Prompt):
        return line_of("prompt", {each.hash: PromptFields.of(each)})
    fields = {name: getattr(each, name) for name in StoredSpan.model_fields}
    return line_of("span", fields | {"body": _recorded_body(each.body)})


def _recorded_body(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the body with the passages of a search replaced by [source, title, count] to save space."""
    update = body.get("update")
    if not update or "passages" not in update:
        return body
    documents = {}
    for query, passages in update["passages"].items():
        counts = Counter((passage.source, passage.title) for passage in passages)
        documents[query] = [[*place, count] for place, count in counts.items()]
    return {**body, "update": {**update, "passages": documents}}


def settings_record(settings: Settings) -> dict[str, Any]:
    """Returns the settings that differ from the defaults, as JSON values without secrets and `home`.

    Objects are named by their classes. Of an endpoint only its address is kept.
    """
    values = {name: getattr(settings, name) for name in Settings.model_fields if name != "home"}
    values["endpoints"] = {name: {"base_url": it.base_url} for name, it in settings.endpoints.items()}
    defaults = {name: it.get_default(call_default_factory=True) for name, it in Settings.model_fields.items()}
    changed: dict[str, Any] = _plain({name: it for name, it in values.items() if it != defaults[name]})
    return changed


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(it) for name, it in value.items() if not isinstance(it, SecretStr)}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, str | Path):
        return valid(redacted(str(value)))
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, bool | int | float | None) else f"<{name_of(value)}>"
