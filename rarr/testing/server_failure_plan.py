"""Declares the failures that a scripted server can be told to produce, and their order (its plan)."""

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rarr.testing.received_request import Request


@dataclass(frozen=True)
class Status:
    """The answer is an error with this HTTP status. `retry_after`: the seconds in its header."""

    code: int
    retry_after: float | None = None
    message: str = ""


@dataclass(frozen=True)
class Hang:
    """The server sends no answer until it closes or the client has gone."""


@dataclass(frozen=True)
class Drip:
    """The server sends an answer that never ends: a byte each `seconds`."""

    seconds: float = 0.02


@dataclass(frozen=True)
class Stall:
    """The server streams this many tokens of each text, and then no more; an answer in one piece hangs."""

    tokens: int = 1


@dataclass(frozen=True)
class Endless:
    """The answer has `piece` again and again; None: other words each time.

    A stream ignores `max_tokens` and has no end. An answer in one piece ends at `max_tokens`, with
    finish_reason "length".
    """

    piece: str | None = None


@dataclass(frozen=True)
class DieMidAnswer:
    """The server closes the connection after half of the body."""


@dataclass(frozen=True)
class CutOff:
    """The answer has half of each text, and finish_reason "length"."""


@dataclass(frozen=True)
class NotJson:
    """The answer is a proxy's HTML page with status 200."""


@dataclass(frozen=True)
class Empty:
    """The answer is a completion without choices."""


@dataclass(frozen=True)
class NoUsage:
    """The answer is a completion without usage."""


Entry = Status | Hang | Drip | Stall | Endless | DieMidAnswer | CutOff | NotJson | Empty | NoUsage
Plan = Sequence[Entry | None] | Callable[[Request], Entry | None]
"""One entry for each request for completions, in the order of arrival, then none; None is a normal answer.

Or a function of the request.
"""


class PlanReader:
    """Gives each request its entry of the plan. `for_ever` repeats a sequence after its end."""

    def __init__(self, plan: Plan, for_ever: bool = False) -> None:
        self._choose = plan if callable(plan) else None
        entries: Sequence[Entry | None] = () if callable(plan) else plan
        self._rest: Iterator[Entry | None] = itertools.cycle(entries) if for_ever else iter(entries)
        self._lock = threading.Lock()

    def take(self, request: Request) -> Entry | None:
        """Takes the entry for this request; None: answer as usual."""
        if self._choose is not None:
            return self._choose(request)
        with self._lock:
            return next(self._rest, None)
