"""What a scripted server was asked, and what became of it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rarr.testing.requests import Request
from rarr.testing.usage import NO_TOKENS
from rarr.tools.models.chat import Tokens

_SECRET = {"authorization", "api-key", "x-api-key"}


@dataclass
class _Exchange:
    request: Request
    status: int | None = None
    tokens: Tokens = NO_TOKENS


class Record:
    """Every request, in the order of arrival. `on_request` is called with each line of the log."""

    def __init__(self, on_request: Callable[[dict[str, Any]], None] | None = None) -> None:
        self.in_flight_most = 0
        self._in_flight = 0
        self._exchanges: list[_Exchange] = []
        self._on_request = on_request
        self._lock = threading.Lock()

    def begin(self, request: Request) -> int:
        """Notes a request; the number is for `end`."""
        with self._lock:
            self._exchanges.append(_Exchange(request))
            self._in_flight += 1
            self.in_flight_most = max(self.in_flight_most, self._in_flight)
            return len(self._exchanges) - 1

    def end(self, number: int, status: int | None, tokens: Tokens = NO_TOKENS) -> None:
        """Notes the answer, whose status is None where there was none."""
        with self._lock:
            self._in_flight -= 1
            one = self._exchanges[number]
            one.request = replace(one.request, left=time.perf_counter())
            one.status, one.tokens = status, tokens
            if self._on_request is not None:
                self._on_request(_line(one))

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        with self._lock:
            return [one.request for one in self._exchanges]

    @property
    def log(self) -> list[dict[str, Any]]:
        """The requests and what became of them, as JSON has it."""
        with self._lock:
            return [_line(one) for one in self._exchanges]

    @property
    def tokens(self) -> Tokens:
        """The sum of all usage that was given out."""
        with self._lock:
            return Tokens(*map(sum, zip(NO_TOKENS, *(one.tokens for one in self._exchanges), strict=True)))


def _line(one: _Exchange) -> dict[str, Any]:
    request = one.request
    return {
        "method": request.method,
        "path": request.path,
        "status": one.status,
        "prompt": request.prompt,
        "model": request.model,
        "n": request.n,
        "seconds": None if request.left is None else round(request.left - request.arrived, 6),
        "tokens": one.tokens._asdict(),
        "headers": {k: "***" if k in _SECRET else v for k, v in request.headers.items()},
        "body": dict(request.body),
    }
