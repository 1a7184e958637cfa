"""What happens in a run, as it happens: spans of time, one within another, told to whoever records them.

A context variable holds the recorder, as with the run's meter: what is in between hands nothing on. Without
one, a span costs next to nothing.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from rarr.prompts import Prompt
from rarr.tools.models.client_failures import redacted
from rarr.unicode import valid

_MOST = 1000  # characters of an error

Kind = Literal["block", "node", "failure", "score", "ask", "request"]
"""A block of a long text, with all that is done for it; a call of a node; what a node that failed left; the
passages of one query, scored; a question to a language model; and an attempt at any server."""


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

    def now(self) -> float:
        """Seconds since 1970, by a clock that nobody sets while the run goes on."""

    def number(self) -> int:
        """The number of the next span, from 1."""

    def begin(self, span: Span) -> None:
        """It has begun."""

    def end(self, span: Span) -> None:
        """It has ended, and does not change any more."""

    def keep(self, prompt: Prompt) -> None:
        """Spans speak of this prompt by its hash."""

    async def saved(self) -> None:
        """Waits until what was paid for is where no crash loses it, if the run may be resumed."""


_RECORDER: ContextVar[Recorder | None] = ContextVar("recorder", default=None)
_CURRENT: ContextVar[Span | None] = ContextVar("span", default=None)
_ABOUT: ContextVar[str] = ContextVar("about", default="")


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """What happens in the block is told to `recorder` alone, also where it is within another run."""
    outer, current, asked = _RECORDER.set(recorder), _CURRENT.set(None), _ABOUT.set("")
    try:
        yield
    finally:
        _RECORDER.reset(outer)
        _CURRENT.reset(current)
        _ABOUT.reset(asked)


@contextmanager
def span(kind: Kind, name: str, about: str = "", **body: Any) -> Iterator[Span]:
    """Something that takes as long as the block. What it raises is recorded as its error.

    `body`: plain values that are known from the beginning.
    """
    recorder = _RECORDER.get()
    if recorder is None:
        yield Span(0, 0, kind, name, about, 0.0, body=body)
        return
    outer = _CURRENT.get()
    within = outer.number if outer else 0
    one = Span(recorder.number(), within, kind, name, about or _ABOUT.get(), recorder.now(), body=body)
    recorder.begin(one)
    token = _CURRENT.set(one)
    try:
        yield one
    except BaseException as error:
        one.error = named(error)
        raise
    finally:
        _CURRENT.reset(token)
        one.seconds = recorder.now() - one.started
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
    if (recorder := _RECORDER.get()) is not None:
        recorder.keep(prompt)


async def saved() -> None:
    """The recorder, where there is one, has saved what was paid for; see `Recorder`."""
    if (recorder := _RECORDER.get()) is not None:
        await recorder.saved()


def named(error: BaseException) -> str:
    """What ended a span, in a line."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    # Redacted before it is cut, as half of a key is not found.
    said = " ".join(valid(redacted(str(error))).split())
    return f"{type(error).__name__}: {said[:_MOST]}"
