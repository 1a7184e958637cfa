"""Records the runs of a reviser in the trace store, resumes recorded runs and prunes old traces."""

import json
import logging
import os
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from rarr.components import Baseline
from rarr.records import Revision
from rarr.settings import Settings, installed_version
from rarr.settings.endpoints import Endpoint
from rarr.state import State
from rarr.tools.concurrency import before_end, in_order, result_of
from rarr.tools.models.chat import name_of
from rarr.tools.models.failures import redacted
from rarr.tools.models.run_budget import Meter
from rarr.tools.trace_spans import named, recording
from rarr.traces.recorded_answers import RecordedAnswers, spending_by_node
from rarr.traces.recorder import BUSY_S, FAILED, FAILURES, RunRecorder
from rarr.traces.store import TraceStore
from rarr.traces.trace_file import RunFacts
from rarr.traces.trace_reader import Trace, store_path
from rarr.valid_unicode import valid

_SECRET = re.compile(r"key|token|secret|passw|auth|cookie|credential|headers", re.IGNORECASE)
_PRUNE_EVERY = 200  # runs

_log = logging.getLogger("rarr")


class Recording:
    """Records the runs of one reviser, and hands a resumed run its earlier answers and spending."""

    def __init__(self, settings: Settings, *, resumable: bool = False) -> None:
        """Opens the trace store. Raises `InputError` if it cannot be opened.

        `resumable` writes each answer at once, so that no paid answer is lost.
        """
        self._settings, self._resumable = settings, resumable
        self.store = TraceStore(store_path(settings.home))
        self.store.wait(BUSY_S)
        self._settings_record = settings_record(settings)
        self._version = installed_version()
        self._runs = 0

    @asynccontextmanager
    async def of(
        self, run_id: str, start: State, baseline: Baseline, meter: Meter, *, resumed: bool
    ) -> AsyncIterator[RunRecorder]:
        """Records the run of the `async with` block, which hands its revision to the recorder at the end.

        `start` is the state with which the run begins, or from which it is `resumed`. The `meter` of a
        resumed run gets the answers, the spending and the seconds of its first part.
        """
        recorder = RunRecorder(
            self.store, lambda message: meter.warn(FAILED, message), at_once=self._resumable
        )
        facts, earlier = await result_of(in_order(self._prepare, run_id, start, baseline, resumed))
        if earlier is None:
            await recorder.start(run_id, facts)
        else:
            meter.answers, meter.by_node = RecordedAnswers(earlier).answer, spending_by_node(earlier)
            meter.before_s = earlier.seconds
            await recorder.go_on(earlier, facts)
        try:
            with recording(recorder), before_end(recorder.flush_at_end):
                yield recorder
        except BaseException as error:
            written = recorder.ended(named(error))
            if not isinstance(error, GeneratorExit):  # a generator that is closed cannot await
                await result_of(written)
            raise

    async def revision(self, run_id: str, state: State) -> Revision | None:
        """Returns the recorded revision of a run of this text and context; None if there is none."""
        trace = await result_of(in_order(self._trace, run_id, state))
        return None if trace is None else trace.revision

    async def aclose(self) -> None:
        """Closes the file after everything was written. The next use opens it again."""
        await result_of(in_order(self.store.close))

    def _prepare(
        self, run_id: str, start: State, baseline: Baseline, resumed: bool
    ) -> tuple[RunFacts, Trace | None]:
        """Prunes old traces. Returns the facts of a run, and the trace of a resumed run (else None)."""
        self._prune()
        facts = self._facts(start, self._settings_record | baseline.changes())
        return facts, self._trace(run_id, start) if resumed else None

    def _trace(self, run_id: str, state: State) -> Trace | None:
        """Reads the trace of the run; None if it is unreadable or of another text or context."""
        try:
            trace = Trace(self.store.read(run_id))
        except FAILURES:
            return None
        facts = trace.file.facts
        same = (facts.original, facts.context) == (state["original"], state["context"])
        return trace if same else None

    def _prune(self) -> None:
        """Removes old traces at the first run, and every 200 runs. A failure is only logged."""
        self._runs += 1
        if self._runs % _PRUNE_EVERY == 1:
            try:
                self.store.prune(days=self._settings.trace_days, max_bytes=self._settings.trace_max_mb * 1e6)
            except FAILURES as error:
                _log.warning("old traces are not removed: %s", error)

    def _facts(self, start: State, settings: dict[str, Any]) -> RunFacts:
        return RunFacts(
            version=self._version,
            original=start["original"],
            context=start["context"],
            settings=settings,
            warnings=[notice.model_dump(mode="json") for notice in start["warnings"]],
            process=(socket.gethostname(), os.getpid()),
        )


def settings_record(settings: Settings) -> dict[str, Any]:
    """Returns the settings that differ from the defaults, as JSON values without secrets and `home`.

    Objects are named by their classes.
    """
    values = {
        name: getattr(settings, name)
        for name, field in Settings.model_fields.items()
        if name != "home" and getattr(settings, name) != field.get_default(call_default_factory=True)
    }
    plain: dict[str, Any] = valid(json.loads(json.dumps(_without_secrets(values), default=_plain)))
    return plain


def _without_secrets(value: Any, *, extra: bool = False) -> Any:
    """Removes secrets from `value`. `extra`: also parts whose name tells a secret, as `api_key`."""
    if isinstance(value, Endpoint):
        value = dict(value)
    if isinstance(value, dict):
        return {
            str(name): _without_secrets(part, extra=extra or name == "extra")
            for name, part in value.items()
            if not isinstance(part, SecretStr) and not (extra and _SECRET.search(str(name)))
        }
    if isinstance(value, (list, tuple)):
        return [_without_secrets(part, extra=extra) for part in value]
    return redacted(value) if isinstance(value, str) else value


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else f"<{name_of(value)}>"
