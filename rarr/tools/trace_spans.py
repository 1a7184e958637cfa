"""Reports the steps of a run to a recorder as spans. A span records a step, and may be inside another span.

The recorder writes the spans into the trace of the run. A context variable holds the recorder, so that no
function needs a parameter for the recorder. Without a recorder, a span takes almost no time.
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

_LONGEST_MESSAGE = 1000  # characters of the message of an error

Value = TypeVar("Value")

SpanKind = Literal["block", "node", "failure", "query", "score", "read", "ask", "request"]
"""The step that a span records. block: the work on a part of a long text. node: a call of a node. failure:
the warning about a failed node. query: the work of a node on a query. score: the scoring of a query's
passages. read: the judging of sentences. ask: a question to a model. request: an attempt at a server."""


@dataclass(slots=True)
class TraceSpan:
    """The record of one step of a run. `parent` is the number of the outer span; 0 if there is no outer span.

    `about` is the id of the query or evidence that the step works on. `started` is in seconds since 1970.
    `seconds` is the duration; None until the span has ended. `error` is empty if the step did not fail.
    `body` holds more facts about the step. The `kind` of the step decides which facts.
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
"""A `RunRecorder` of `rarr.traces`. It raises no error: a run must not end because its trace fails."""
_CURRENT: ContextVar[TraceSpan | None] = ContextVar("span", default=None)
_ABOUT: ContextVar[str] = ContextVar("about", default="")


@contextmanager
def set_in_block(variable: ContextVar[Any], value: Value) -> Iterator[Value]:
    """Sets the context variable to `value` during the `with` block, and yields `value`."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


@contextmanager
def using_recorder(recorder: Any) -> Iterator[None]:
    """Reports the spans of the `with` block to `recorder` alone, and not to the recorder of an outer run."""
    with set_in_block(_RECORDER, recorder), set_in_block(_CURRENT, None), set_in_block(_ABOUT, ""):
        yield


@contextmanager
def span(kind: SpanKind, name: str, about: str = "", **body: Any) -> Iterator[TraceSpan]:
    """Opens a span inside the current span, and yields the new span. The span ends with the `with` block.

    If the block raises an error, the span records the error. `body` has the first entries of the span's body.
    """
    recorder, outer = _RECORDER.get(), _CURRENT.get()
    if recorder is None:
        yield TraceSpan(0, 0, kind, name, about, 0.0, body=body)
        return
    number, within = recorder.next_number(), outer.number if outer else 0
    new = TraceSpan(number, within, kind, name, about or _ABOUT.get(), recorder.now(), body=body)
    recorder.begin_span(new)
    try:
        with set_in_block(_CURRENT, new):
            yield new
    except BaseException as error:
        new.error = error_line(error)
        raise
    finally:
        new.seconds = recorder.now() - new.started
        recorder.end_span(new)


def spans_about(id: str) -> Any:  # noqa: A002  # the field of the records
    """Sets `about` of spans in the `with` block to `id` (a query's or evidence's) if they have no `about`."""
    return set_in_block(_ABOUT, id)


def current_body() -> dict[str, Any]:
    """Returns the body of the innermost open span. The caller may add entries. Without a span, returns {}."""
    return {} if (innermost := _CURRENT.get()) is None else innermost.body


def record_prompt(prompt: Prompt) -> None:
    """Passes the prompt to the recorder. Does nothing without a recorder."""
    if (recorder := _RECORDER.get()) is not None:
        recorder.write_prompt_once(prompt)


async def wait_for_saved_answers() -> None:
    """Waits until the recorder has written the answers of the models, if the run can be resumed."""
    if (recorder := _RECORDER.get()) is not None:
        await recorder.flush_if_resumable()


def error_line(error: BaseException) -> str:
    """Returns the line `Name: message` of an error, without API keys; "cancelled" for a cancelled task."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    # Keys are removed before the text is cut, since half of a key is not recognised.
    return f"{type(error).__name__}: {' '.join(valid(redact_secrets(str(error))).split())[:_LONGEST_MESSAGE]}"
