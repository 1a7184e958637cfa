"""Parses the HTTP requests that a scripted server received, and records them with their outcomes."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rarr.testing.scripted_model import NO_TOKENS, Asked
from rarr.tools.models.chat import Message, Tokens

_ROLES: dict[str, Literal["system", "assistant"]] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
}


@dataclass(frozen=True, kw_only=True)
class Request(Asked):
    """One HTTP request. Names in `headers` are in lower case; `body` is empty if it is not a JSON object.

    `arrived` and `left` are by `time.perf_counter`; `left` is None while the request is in flight.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    arrived: float = field(default_factory=time.perf_counter)
    left: float | None = None

    @property
    def model(self) -> str:
        """The model that the request names."""
        return str(self.body.get("model", ""))

    @property
    def n(self) -> int:
        """The number of answers that the request asks for."""
        n = self.body.get("n")
        return n if isinstance(n, int) else 1

    @property
    def most_tokens(self) -> int:
        """The most tokens of an answer that the request allows; 1000 if it sets no limit."""
        most = self.body.get("max_tokens") or self.body.get("max_completion_tokens")
        return most if isinstance(most, int) else 1000


def request_of(method: str, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Request:
    """Makes a `Request`, with its messages and the name of its prompt read from `body`."""
    messages = body.get("messages", body.get("input"))  # the latter in requests for responses
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return Request(
        method=method,
        path=path,
        headers={name.lower(): value for name, value in headers.items()},
        body=body,
        prompt=_prompt_of(body),
        messages=tuple(
            Message(_ROLES.get(str(message.get("role")), "user"), _content(message.get("content")))
            for message in (messages if isinstance(messages, list) else ())
            if isinstance(message, dict)
        ),
    )


def _prompt_of(body: Mapping[str, Any]) -> str | None:
    """Reads the name of the schema or function of the request, which is that of the prompt, or None."""
    for path in (("response_format", "json_schema", "name"), ("tools", 0, "function", "name")):
        value: Any = body
        try:
            for key in path:
                value = value[key]
        except (KeyError, IndexError, TypeError):
            continue
        if isinstance(value, str):
            return value
    return None


def _content(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


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
