"""What happens in a run, as it happens: spans of time, one within another, told to whoever records them.

A context variable holds the recorder, as with the run's meter: what is in between hands nothing on. Without
one, a span costs next to nothing.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from rarr.prompts import Prompt

Kind = Literal["node", "failure", "score", "ask", "request"]
"""A call of a node; what a node that failed left; the passages of one query, scored; a question to a language
model; and an attempt at a server, of whatever service."""


@dataclass(slots=True)
class Span:
    """One of them. `parent` is the number of the span that it is in, 0 for none.

    `about` is the id of the query or evidence that it is for. `started` is in seconds since 1970, `seconds`
    is None until it has ended. `error` is empty where it went well. `body` holds what the kind has.
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


class Recorder(Protocol):
    """Who is told of the spans of a run. It raises nothing: a run does not end because its trace fails."""

    def number(self) -> int:
        """The number of the next span, from 1."""

    def begin(self, span: Span) -> None:
        """It has begun."""

    def end(self, span: Span) -> None:
        """It has ended, and does not change any more."""

    def keep(self, prompt: Prompt) -> None:
        """Spans speak of this prompt by its hash."""


RECORDER: ContextVar[Recorder | None] = ContextVar("recorder", default=None)
_EPOCH = time.time() - time.perf_counter()  # so that no change of the clock reorders spans
_CURRENT: ContextVar[Span | None] = ContextVar("span", default=None)
_ABOUT: ContextVar[str] = ContextVar("about", default="")


@contextmanager
def span(kind: Kind, name: str, about: str = "", **body: Any) -> Iterator[Span]:
    """Something that takes as long as the block. What it raises is recorded as its error.

    `body`: plain values that are known from the beginning.
    """
    recorder = RECORDER.get()
    if recorder is None:
        yield Span(0, 0, kind, name, about, 0.0, body=body)
        return
    started = time.perf_counter()
    outer = _CURRENT.get()
    within = outer.number if outer else 0
    one = Span(recorder.number(), within, kind, name, about or _ABOUT.get(), _EPOCH + started, body=body)
    recorder.begin(one)
    token = _CURRENT.set(one)
    try:
        yield one
    except BaseException as error:
        one.error = named(error)
        raise
    finally:
        _CURRENT.reset(token)
        one.seconds = time.perf_counter() - started
        recorder.end(one)


@contextmanager
def about(id: str) -> Iterator[None]:  # noqa: A002  # the field of the records
    """What is recorded in the block is for the query or evidence of this id."""
    token = _ABOUT.set(id)
    try:
        yield
    finally:
        _ABOUT.reset(token)


def note(**body: Any) -> None:
    """Adds to the body of the innermost span."""
    if (one := _CURRENT.get()) is not None:
        one.body.update(body)


def warned(code: str, message: str) -> None:
    """Adds a warning to the innermost span."""
    if (one := _CURRENT.get()) is not None:
        one.body.setdefault("warnings", []).append((code, message))


def keep(prompt: Prompt) -> None:
    """The recorder, where there is one, is to know this prompt."""
    if (recorder := RECORDER.get()) is not None:
        recorder.keep(prompt)


def named(error: BaseException) -> str:
    """What ended a span, in a line."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return f"{type(error).__name__}: {error}"
