"""Records the requests to a scripted server, and their outcomes."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rarr.testing.received_request import Request
from rarr.testing.token_counting import NO_TOKENS
from rarr.tools.models.chat import Tokens

_SECRET = {"authorization", "api-key", "x-api-key"}


@dataclass
class _Exchange:
    request: Request
    status: int | None = None
    tokens: Tokens = NO_TOKENS


class RequestLog:
    """Records every request, in the order of arrival; calls `on_request` with its line when it has ended."""

    def __init__(self, on_request: Callable[[dict[str, Any]], None] | None = None) -> None:
        self.in_flight_most = 0
        self._in_flight = 0
        self._exchanges: list[_Exchange] = []
        self._on_request = on_request
        self._lock = threading.Lock()

    def begin(self, request: Request) -> int:
        """Records a request that has arrived, and returns its number for `end`."""
        with self._lock:
            self._exchanges.append(_Exchange(request))
            self._in_flight += 1
            self.in_flight_most = max(self.in_flight_most, self._in_flight)
            return len(self._exchanges) - 1

    def end(self, number: int, status: int | None, tokens: Tokens = NO_TOKENS) -> None:
        """Records the outcome of a request; `status` is None if no answer was sent."""
        with self._lock:
            self._in_flight -= 1
            exchange = self._exchanges[number]
            exchange.request = replace(exchange.request, left=time.perf_counter())
            exchange.status, exchange.tokens = status, tokens
            if self._on_request is not None:
                self._on_request(_line(exchange))

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        with self._lock:
            return [exchange.request for exchange in self._exchanges]

    @property
    def log(self) -> list[dict[str, Any]]:
        """The requests and their outcomes, as JSON values, without the API keys in headers."""
        with self._lock:
            return [_line(exchange) for exchange in self._exchanges]

    @property
    def tokens(self) -> Tokens:
        """The sum of the usage in all answers."""
        with self._lock:
            return Tokens(
                *map(sum, zip(NO_TOKENS, *(exchange.tokens for exchange in self._exchanges), strict=True))
            )


def _line(exchange: _Exchange) -> dict[str, Any]:
    request = exchange.request
    return {
        "method": request.method,
        "path": request.path,
        "status": exchange.status,
        "prompt": request.prompt,
        "model": request.model,
        "n": request.n,
        "seconds": None if request.left is None else round(request.left - request.arrived, 6),
        "tokens": exchange.tokens._asdict(),
        "headers": {k: "***" if k in _SECRET else v for k, v in request.headers.items()},
        "body": dict(request.body),
    }
