"""Opens what observes the runs of a reviser: the recording of traces, and the listeners to requests."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rarr.components import Components
from rarr.errors import InputError
from rarr.records import Notice
from rarr.settings import Settings
from rarr.tools.models.run_budget import ModelCall

if TYPE_CHECKING:
    from rarr.traces.recording_and_resuming import Recording

OnCall = Callable[[ModelCall], None]


def opened_traces(components: Components, *, resumable: bool) -> tuple["Recording | None", list[Notice]]:
    """Opens the recording of traces; None without the setting `trace`, or with a warning if that fails."""
    if not components.settings.trace:
        return None, []
    from rarr.traces.recording_and_resuming import Recording

    try:
        return Recording(components.settings, components.baseline, resumable=resumable), []
    except InputError as error:
        message = f"no trace is kept: {error}; or set trace to false"
        return None, [Notice(code="trace_failed", message=message, node="")]


def listener(settings: Settings, on_call: OnCall | None) -> OnCall | None:
    """Returns the function to call with each request: the caller's, and with `otel` OpenTelemetry's too."""
    if not settings.otel:
        return on_call
    from rarr.agent.telemetry import model_spans  # it needs an extra

    listeners = [each for each in (model_spans(), on_call) if each is not None]

    def tell(call: ModelCall) -> None:
        for each in listeners:
            each(call)

    return tell
