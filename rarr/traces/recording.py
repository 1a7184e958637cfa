"""Records the runs of a reviser."""

import json
import os
import re
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from rarr.agent.language_models import name_of
from rarr.agent.settings import Endpoint, Settings, installed_version
from rarr.agent.state import State
from rarr.errors import InputError
from rarr.records import Revision
from rarr.tools.failures import redacted
from rarr.tools.meter import Meter
from rarr.tools.spans import RECORDER, named
from rarr.traces.file import Facts
from rarr.traces.recorded import RecordedAnswers
from rarr.traces.recorder import RunRecorder
from rarr.traces.spending import spent
from rarr.traces.store import TraceStore
from rarr.traces.trace import Trace

_SECRET = re.compile(r"key|token|secret|password|authorization|cookie|credential", re.IGNORECASE)
_PRUNE_EVERY = 200  # runs


class Recording:
    """What is kept of the runs of one reviser."""

    def __init__(self, settings: Settings, *, resumable: bool = False) -> None:
        """Raises `InputError` where the file cannot be opened."""
        self._settings, self._resumable = settings, resumable
        self.store = TraceStore(settings.home.expanduser() / "traces.sqlite")
        self._told = told(settings)
        self._runs = 0

    @contextmanager
    def of(self, run_id: str, start: State, meter: Meter, *, resumed: bool) -> Iterator[RunRecorder]:
        """Records what happens in the block, whose revision is given to the recorder's `finish`.

        `start` is the state that the run begins with, or that it is `resumed` with.
        """
        if self._runs % _PRUNE_EVERY == 0:
            self.store.prune(days=self._settings.trace_days, max_bytes=self._settings.trace_max_mb * 1e6)
        self._runs += 1
        recorder = RunRecorder(
            self.store, lambda said: meter.warn("trace_failed", said), at_once=self._resumable
        )
        if not (resumed and self._goes_on(recorder, run_id, meter)):
            recorder.start(run_id, self._facts(start))
        token = RECORDER.set(recorder)
        try:
            yield recorder
        except BaseException as error:
            recorder.finish(None, named(error))
            raise
        finally:
            RECORDER.reset(token)

    def revision(self, run_id: str) -> Revision | None:
        """That of a run that is done, of which there is a trace."""
        trace = self._trace(run_id)
        return None if trace is None else trace.revision

    def _goes_on(self, recorder: RunRecorder, run_id: str, meter: Meter) -> bool:
        """Has the run a trace? Then it goes on there, with what was answered and spent."""
        trace = self._trace(run_id)
        if trace is None:
            return False
        meter.answers, meter.by_node = RecordedAnswers(trace), spent(trace)
        meter.before_s = trace.seconds
        recorder.go_on(self.store.number(run_id), trace.file, trace.seconds)
        return True

    def _trace(self, run_id: str) -> Trace | None:
        try:
            trace = Trace(self.store.read(run_id))
        except (InputError, sqlite3.Error):  # there is none, or none that can be read
            return None
        return trace if trace.run_id == run_id else None  # that of another name may begin so

    def _facts(self, start: State) -> Facts:
        return Facts(
            version=installed_version(),
            original=start["original"],
            context=start["context"],
            settings=self._told,
            warnings=[one.model_dump(mode="json") for one in start["warnings"]],
            process=(socket.gethostname(), os.getpid()),
        )


def told(settings: Settings) -> dict[str, Any]:
    """The settings that are not the defaults, without secrets; objects by their classes."""
    given = {
        name: getattr(settings, name)
        for name, field in Settings.model_fields.items()
        if name != "home" and getattr(settings, name) != field.get_default(call_default_factory=True)
    }
    plain: dict[str, Any] = json.loads(json.dumps(_without_secrets(given), default=_plain))
    return plain


def _without_secrets(value: Any, *, extra: bool = False) -> Any:
    """`extra`: in what is sent along with every request, a key is known by its name alone."""
    if isinstance(value, Endpoint):
        value = dict(value)
    if isinstance(value, dict):
        return {
            str(name): _without_secrets(one, extra=extra or name == "extra")
            for name, one in value.items()
            if not isinstance(one, SecretStr) and not (extra and _SECRET.search(str(name)))
        }
    if isinstance(value, (list, tuple)):
        return [_without_secrets(one, extra=extra) for one in value]
    return redacted(value) if isinstance(value, str) else value


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else f"<{name_of(value)}>"
