"""Writes the trace (record) of a run while it runs. So a killed run leaves its finished spans.

A span is the record of one step. The runs queue their spans. One thread writes the queue in order.
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
from rarr.tools.concurrency import result_of, submit_in_order
from rarr.tools.models.chat import name_of
from rarr.tools.models.failures import redact_secrets
from rarr.tools.models.run_budget import Meter
from rarr.tools.trace_spans import TraceSpan, error_line, using_recorder
from rarr.traces.store import TraceStore
from rarr.traces.trace_file import FORMAT, PromptFields, RunFacts, StoredSpan, TraceFile, json_line
from rarr.traces.trace_reader import RecordedAnswers, Trace
from rarr.valid_unicode import valid

_WRITE_EVERY_S = 0.02  # seconds; spans of this time are written together, so a crash loses these spans
_PRUNE_EVERY = 200  # runs
_TRACE_ERRORS = (RarrError, TypeError, ValueError, OSError)  # after them, a run continues without a trace
_WARNING_CODE = "trace_failed"

_log = logging.getLogger("rarr")


class ReviserRecorder:
    """Records all runs of one reviser. A run that is resumed gets its earlier answers and its usage."""

    def __init__(self, settings: Settings, *, resumable: bool = False) -> None:
        """If `resumable`, a run writes each answer of a model before it goes on: no paid answer is lost."""
        self._settings, self._resumable, self._run_count = settings, resumable, 0
        self._store = TraceStore(settings.home)
        self._version, self._values = VERSION, settings_record(settings)

    @asynccontextmanager
    async def record_run(
        self, run_id: str, start: State, baseline: Baseline, meter: Meter, earlier: Trace | None
    ) -> AsyncIterator["RunRecorder"]:
        """Records the run of the `async with` block. The block passes its revision to `RunRecorder.finish`.

        `start` is the first state of the run. If the run is resumed, `earlier` is the trace of the killed
        run. Then `meter` gets the answers, usage and seconds of the killed run.
        """
        recorder = RunRecorder(self._store, run_id, meter, resumable=self._resumable)
        submit_in_order(self._prune_old_traces)
        if earlier is not None:
            meter.answers, meter.by_node = RecordedAnswers(earlier).next_answer, earlier.spending()
            meter.before_s = earlier.seconds
        facts = RunFacts(
            version=self._version,
            original=start["original"],
            context=start["context"],
            settings=self._values | baseline.changed_fields(),
            warnings=[notice.model_dump(mode="json") for notice in start["warnings"]],
        )
        await recorder.start(facts, earlier)
        try:
            with using_recorder(recorder):
                yield recorder
        except BaseException as error:
            written = recorder.write_end(error_line(error))
            if not isinstance(error, GeneratorExit):  # a generator cannot await while it is closed
                await result_of(written)
            raise

    async def earlier_trace(self, run_id: str, state: State) -> Trace | None:
        """Returns the trace of the run to resume; None if it is not valid, or has another text or context."""

        def read() -> Trace | None:
            try:
                trace = Trace(self._store.read_trace(run_id))
                is_own = trace.revision is None or trace.revision.run_id == run_id
            except _TRACE_ERRORS:
                return None
            facts = trace.file.facts
            is_same = (facts.original, facts.context) == (state["original"], state["context"])
            return trace if is_own and is_same else None

        return await result_of(submit_in_order(read))

    def _prune_old_traces(self) -> None:
        """Removes old traces at the first run, and at each 200th run after it. A failure is only logged."""
        self._run_count += 1
        if self._run_count % _PRUNE_EVERY == 1:
            try:
                most = self._settings.trace_max_mb * 1e6
                self._store.prune(days=self._settings.trace_days, max_bytes=most)
            except _TRACE_ERRORS as error:
                _log.warning("old traces are not removed: %s", error)


class RunRecorder:
    """Queues the lines of one run for the writing thread. After a failed write, warns and writes no more."""

    def __init__(self, store: TraceStore, run_id: str, meter: Meter, *, resumable: bool = False) -> None:
        self._store, self._run_id, self._resumable = store, run_id, resumable
        self._warn: Callable[[str], None] = partial(meter.warn, _WARNING_CODE)
        self._epoch = time.time() - time.perf_counter()
        self._started, self._numbers = self.now(), 0
        self._queued: deque[TraceSpan | Prompt] = deque()
        self._prompts: set[str] = set()
        self._next_write: asyncio.TimerHandle | None = None
        self._has_failed = False

    def now(self) -> float:
        """Returns the time in seconds since 1970, by a clock that no change of the time affects."""
        return self._epoch + time.perf_counter()

    def next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    async def start(self, facts: RunFacts, earlier: Trace | None = None) -> None:
        """Writes the input of the run into a new file. A resumed run uses the file of the `earlier` trace."""
        if earlier is not None:
            self._numbers = max((span.number for span in earlier.spans), default=0)
            self._started -= earlier.seconds
        await result_of(self._queue_step(self._write_start, facts, earlier and earlier.file))

    def begin_span(self, span: TraceSpan) -> None:
        # Queues a copy, because the body grows while another thread writes.
        self.end_span(replace(span, body=dict(span.body)))

    def end_span(self, span: TraceSpan) -> None:
        """Queues a span, and plans a write soon. Without an event loop in this thread, plans no write."""
        self._queued.append(span)
        if self._next_write is None:
            with suppress(RuntimeError):
                self._next_write = asyncio.get_running_loop().call_later(_WRITE_EVERY_S, self._queue_write)

    def write_prompt_once(self, prompt: Prompt) -> None:
        """Queues a prompt, unless the run has queued the same prompt before."""
        if prompt.hash not in self._prompts:
            self._prompts.add(prompt.hash)
            self._queued.append(prompt)

    async def flush_if_resumable(self) -> None:
        """If the run can be resumed, waits until all queued spans are written."""
        if self._resumable:
            await self.flush()

    async def flush(self) -> None:
        """Waits until all queued spans are written."""
        await result_of(self._queue_write())

    async def finish(self, revision: Revision) -> Revision:
        """Writes the end of the run. Returns the revision. If a write failed, the revision has a warning."""
        messages: list[str] = []
        self._warn = messages.append
        await result_of(self.write_end("", revision))
        failed = [Notice(code=_WARNING_CODE, message=message, node="") for message in messages]
        return revision.model_copy(update={"warnings": (*revision.warnings, *failed)}) if failed else revision

    def write_end(self, error: str, revision: Revision | None = None) -> "Future[None]":
        """Queues the last line of the run: an error or a revision. The future ends after the write."""
        self._queue_write()
        return self._queue_step(self._write_end_line, error, revision, self.now() - self._started)

    def _queue_write(self) -> "Future[None]":
        if self._next_write is not None:
            self._next_write.cancel()
            self._next_write = None
        return self._queue_step(self._write_spans)

    def _queue_step(self, step: Callable[..., None], *arguments: Any) -> "Future[None]":
        """Queues `step`, a function that writes. If a step fails, warns once and skips all later steps."""

        def guarded() -> None:
            try:
                if not self._has_failed:
                    step(*arguments)
            except _TRACE_ERRORS as error:
                self._has_failed = True
                reason = " ".join(str(error).split())[:200]
                self._warn(f"the trace of this run is lost ({reason}): check the disk, or set trace to false")

        return submit_in_order(guarded)

    def _write_start(self, facts: RunFacts, earlier: TraceFile | None) -> None:
        begun = {"run_id": self._run_id, "started": self._started, "facts": facts.model_dump(mode="json")}
        line = json_line("run", {"format": FORMAT, **begun})
        if earlier is None:
            self._store.create_file(self._run_id, line)
        else:
            self._store.rewrite_file(earlier)
            self._store.append_lines(self._run_id, [line])

    def _write_spans(self) -> None:
        new: dict[int | str, TraceSpan | Prompt] = {}
        while self._queued:
            each = self._queued.popleft()
            new[each.hash if isinstance(each, Prompt) else each.number] = each  # replaces an older copy
        if new:
            self._store.append_lines(self._run_id, [_line_of(each) for each in new.values()])

    def _write_end_line(self, error: str, revision: Revision | None, seconds: float) -> None:
        end = {"seconds": seconds, "error": error, "revision": revision}
        self._store.append_lines(self._run_id, [json_line("end", end)])


def _line_of(each: TraceSpan | Prompt) -> str:
    if isinstance(each, Prompt):
        return json_line("prompt", {each.hash: PromptFields.from_prompt(each)})
    fields = {name: getattr(each, name) for name in StoredSpan.model_fields}
    return json_line("span", fields | {"body": _recorded_body(each.body)})


def _recorded_body(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the body of a span. Replaces the passages of a search by short lists: source, title, count."""
    update = body.get("update")
    if not update or "passages" not in update:
        return body
    documents = {}
    for query, passages in update["passages"].items():
        counts = Counter((passage.source, passage.title) for passage in passages)
        documents[query] = [[*place, count] for place, count in counts.items()]
    return {**body, "update": {**update, "passages": documents}}


def settings_record(settings: Settings) -> dict[str, Any]:
    """Returns the settings that differ from the defaults, as JSON values. Leaves out secrets and `home`.

    An object in a setting becomes its name, or the name of its class. An endpoint becomes its address.
    """
    values = {name: getattr(settings, name) for name in Settings.model_fields if name != "home"}
    values["endpoints"] = {name: {"base_url": it.base_url} for name, it in settings.endpoints.items()}
    defaults = {name: it.get_default(call_default_factory=True) for name, it in Settings.model_fields.items()}
    changed: dict[str, Any] = _json_value({name: it for name, it in values.items() if it != defaults[name]})
    return changed


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _json_value(it) for name, it in value.items() if not isinstance(it, SecretStr)}
    if isinstance(value, list | tuple):
        return [_json_value(part) for part in value]
    if isinstance(value, str | Path):
        return valid(redact_secrets(str(value)))
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, bool | int | float | None) else f"<{name_of(value)}>"
