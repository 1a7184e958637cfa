"""Reports the events of a run to a recorder, as spans of time that lie one inside another.

A context variable holds the recorder, like the run's meter, so that no interface passes it on. Without a
recorder, a span costs next to nothing.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal

from rarr.prompts import Prompt
from rarr.tools.models.failures import redacted
from rarr.valid_unicode import valid

_MOST = 1000  # characters of an error's message

Kind = Literal["block", "node", "failure", "score", "read", "ask", "request"]
"""A block of a long text, with all its work; a call of a node; the failure of a node, with its update; the
scoring of one query's passages; a reading of sentences as cards; a question to a language model; and an
attempt at any server."""


@dataclass(slots=True)
class TraceSpan:
    """One span. `parent` is the number of the span around it, 0 for none.

    `about` is the id of the query or evidence that it is for. `started` is in seconds since 1970; `seconds`
    is None until it has ended. `error` is empty where nothing failed. `body` holds the values of its kind.
    """

    number: int
    parent: int
    kind: Kind
    name: str
    about: str
    started: float
    seconds: float | None = None
    error: str = ""
    body: dict[str, Any] = field(default_factory=dict)


_RECORDER: ContextVar[Any] = ContextVar("recorder", default=None)
"""A `RunRecorder` of the traces. It raises nothing: a run must not end because its trace fails."""
_CURRENT: ContextVar[TraceSpan | None] = ContextVar("span", default=None)
_ABOUT: ContextVar[str] = ContextVar("about", default="")


@contextmanager
def _set(variable: ContextVar[Any], value: object) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


@contextmanager
def recording(recorder: Any) -> Iterator[None]:
    """Reports the spans of the block to a `RunRecorder`, and to no recorder of an outer run."""
    with _set(_RECORDER, recorder), _set(_CURRENT, None), _set(_ABOUT, ""):
        yield


@contextmanager
def span(kind: Kind, name: str, about: str = "", **body: Any) -> Iterator[TraceSpan]:
    """Opens a span for the time of the `with` block, inside the current span, and yields it.

    An error of the block is recorded in the span and raised again. `body`: values known at the start.
    """
    recorder, outer = _RECORDER.get(), _CURRENT.get()
    if recorder is None:
        yield TraceSpan(0, 0, kind, name, about, 0.0, body=body)
        return
    number, within = recorder.next_number(), outer.number if outer else 0
    new = TraceSpan(number, within, kind, name, about or _ABOUT.get(), recorder.now(), body=body)
    recorder.begin_span(new)
    try:
        with _set(_CURRENT, new):
            yield new
    except BaseException as error:
        new.error = named(error)
        raise
    finally:
        new.seconds = recorder.now() - new.started
        recorder.end_span(new)


def about(id: str) -> Any:  # noqa: A002  # the field of the records
    """Gives this id of a query or evidence to all spans of the `with` block that have no id of their own."""
    return _set(_ABOUT, id)


def body() -> dict[str, Any]:
    """The body of the innermost open span, to add values to; without a span, a new one that nobody reads."""
    return {} if (innermost := _CURRENT.get()) is None else innermost.body


def keep(prompt: Prompt) -> None:
    """Passes the prompt to the recorder, where there is one."""
    if (recorder := _RECORDER.get()) is not None:
        recorder.write_prompt_once(prompt)


async def saved() -> None:
    """Waits until the recorder, where there is one, has stored paid answers, if the run may be resumed."""
    if (recorder := _RECORDER.get()) is not None:
        await recorder.flush_if_resumable()


def named(error: BaseException) -> str:
    """Writes an error as `Name: message` on one line without API keys; a cancelled task is "cancelled"."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    # It is redacted before it is cut, since half of a key is not recognised.
    return f"{type(error).__name__}: {' '.join(valid(redacted(str(error))).split())[:_MOST]}"
