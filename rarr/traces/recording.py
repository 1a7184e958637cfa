"""Records the runs of a reviser."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from rarr.agent.settings import Endpoint, Settings, installed_version
from rarr.agent.state import State
from rarr.tools.failures import redacted
from rarr.tools.meter import Meter
from rarr.tools.spans import RECORDER, named
from rarr.traces.recorder import RunRecorder, facts_of
from rarr.traces.store import TraceStore

_SECRET = re.compile(r"key|token|secret|password|authorization|cookie|credential", re.IGNORECASE)
_PRUNE_EVERY = 200  # runs


class Recording:
    """What is kept of the runs of one reviser."""

    def __init__(self, settings: Settings) -> None:
        """Raises `InputError` where the file cannot be opened."""
        self._settings = settings
        self.store = TraceStore(settings.home.expanduser() / "traces.sqlite")
        self._told = told(settings)
        self._runs = 0

    @contextmanager
    def of(self, run_id: str, start: State, meter: Meter) -> Iterator[RunRecorder]:
        """Records what happens in the block, whose revision is given to the recorder's `finish`."""
        if self._runs % _PRUNE_EVERY == 0:
            self.store.prune(days=self._settings.trace_days, max_bytes=self._settings.trace_max_mb * 1e6)
        self._runs += 1
        facts = facts_of(
            installed_version(), start["original"], start["context"], self._told, start["warnings"]
        )
        recorder = RunRecorder(self.store, run_id, facts, lambda said: meter.warn("trace_failed", said))
        token = RECORDER.set(recorder)
        try:
            yield recorder
        except BaseException as error:
            recorder.finish(None, named(error))
            raise
        finally:
            RECORDER.reset(token)


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
    return str(value) if isinstance(value, Path) else f"<{type(value).__name__}>"
