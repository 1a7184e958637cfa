"""Reports the events of a run to a recorder, as nested spans of time.

A context variable holds the recorder, so that no interface passes the recorder on. Without a recorder, a span
costs next to nothing.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from rarr.prompts import Prompt
from rarr.tools.models.failures import redact_secrets
from rarr.valid_unicode import valid

_MOST = 1000  # characters of an error's message

Value = TypeVar("Value")

SpanKind = Literal["block", "node", "failure", "query", "score", "read", "ask", "request"]
"""A span covers the work on a block of a long text; a call of a node; a node's failure, with its update; the
work of a node on a query; the scoring of a query's passages; a reading of sentences as cards; a question to a
model; or an attempt at a server."""


@dataclass(slots=True)
class TraceSpan:
    """A span of a run. `parent` is the number of the span around it; 0 if there is no outer span.

    `about` is the id of the query or evidence to which the span belongs. `started` is in seconds since 1970;
    `seconds` is None until the span has ended. `error` is empty if nothing failed. `body` holds the values of
    the kind.
    """

    number: int
    parent: int
    kind: SpanKind
    name: str
    about: str
    started: float
    seconds: float | None = None
    error: str = ""
    body: dict[str, Any] = field(default_factory=dict)


_RECORDER: ContextVar[Any] = ContextVar("recorder", default=None)
"""A `RunRecorder` of the traces, which raises no error: a run must not end because its trace fails."""
_CURRENT: ContextVar[TraceSpan | None] = ContextVar("span", default=None)
_ABOUT: ContextVar[str] = ContextVar("about", default="")


@contextmanager
def holding(variable: ContextVar[Any], value: Value) -> Iterator[Value]:
    """Lets the context variable hold this value during the `with` block."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


@contextmanager
def recording(recorder: Any) -> Iterator[None]:
    """Reports the spans of the block to this `RunRecorder`, and not to the recorder of an outer run."""
    with holding(_RECORDER, recorder), holding(_CURRENT, None), holding(_ABOUT, ""):
        yield


@contextmanager
def span(kind: SpanKind, name: str, about: str = "", **body: Any) -> Iterator[TraceSpan]:
    """Opens a span inside the current span, for the time of the `with` block, and yields the new span.

    An error of the block is recorded in the span and raised again. `body` are values known at the start.
    """
    recorder, outer = _RECORDER.get(), _CURRENT.get()
    if recorder is None:
        yield TraceSpan(0, 0, kind, name, about, 0.0, body=body)
        return
    number, within = recorder.next_number(), outer.number if outer else 0
    new = TraceSpan(number, within, kind, name, about or _ABOUT.get(), recorder.now(), body=body)
    recorder.begin_span(new)
    try:
        with holding(_CURRENT, new):
            yield new
    except BaseException as error:
        new.error = error_line(error)
        raise
    finally:
        new.seconds = recorder.now() - new.started
        recorder.end_span(new)


def spans_about(id: str) -> Any:  # noqa: A002  # the field of the records
    """Gives this id of a query or evidence to all spans of the `with` block that have no id of their own."""
    return holding(_ABOUT, id)


def current_body() -> dict[str, Any]:
    """Returns the body of the innermost open span, to add values to. Without a span, returns a new body."""
    return {} if (innermost := _CURRENT.get()) is None else innermost.body


def record_prompt(prompt: Prompt) -> None:
    """Passes the prompt to the recorder. Does nothing without a recorder."""
    if (recorder := _RECORDER.get()) is not None:
        recorder.write_prompt_once(prompt)


async def wait_for_saved_answers() -> None:
    """Waits until the recorder has stored the paid answers of a run that can be resumed."""
    if (recorder := _RECORDER.get()) is not None:
        await recorder.flush_if_resumable()


def error_line(error: BaseException) -> str:
    """Returns an error as one line, `Name: message`, without API keys; "cancelled" for a cancelled task."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    # Keys are removed before the text is cut, since half of a key is not recognised.
    return f"{type(error).__name__}: {' '.join(valid(redact_secrets(str(error))).split())[:_MOST]}"
