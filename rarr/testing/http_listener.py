"""Listens for HTTP requests on this machine, in threads, and records them with their outcomes."""

import json
import math
import select
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from rarr.testing.scripted_model import NO_TOKENS, Asked
from rarr.tools.models.chat import Message, Tokens

FOREVER = math.inf
GLANCE_S = 0.02  # seconds between looks whether the server closes or the client has gone
_ROLES: Mapping[str, Any] = {"system": "system", "developer": "system", "assistant": "assistant"}


@dataclass(frozen=True, kw_only=True)
class Request(Asked):
    """One HTTP request. Names in `headers` are in lower case; `body` is empty if it is not a JSON object.

    `arrived` and `left` are by `time.perf_counter`; `left` is None while the request is in flight. `status`
    is None if no answer was sent, and `tokens` are those of the usage in the answer.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    arrived: float = field(default_factory=time.perf_counter)
    left: float | None = None
    status: int | None = None
    tokens: Tokens = NO_TOKENS

    @property
    def model(self) -> str:
        """The model that the request names."""
        return str(self.body.get("model", ""))

    @property
    def n(self) -> int:
        """The number of answers that the request asks for."""
        n = self.body.get("n")
        return n if isinstance(n, int) else 1


@dataclass(frozen=True)
class Reply:
    """An HTTP reply: `steps`, then `body`. `tokens` are the tokens of its usage.

    A step is bytes to send, a number of seconds to wait, or None, at which the connection closes.
    """

    status: int
    body: bytes = b""
    steps: Iterable[bytes | float | None] = ()
    content_type: str = "application/json"
    retry_after: float | None = None
    tokens: Tokens = NO_TOKENS


class Listener:
    """Answers requests with `reply_to`, and records them: `with Listener(reply_to) as server`."""

    def __init__(self, reply_to: Callable[[Request], Reply], *, port: int = 0) -> None:
        """`port` 0 is any free port."""
        self.in_flight_most = 0
        """The largest number of requests at once."""
        self.reply_to, self._port = reply_to, port
        self._requests: list[Request] = []
        self._lock, self._closing = threading.Lock(), threading.Event()

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"listener": self})
        self._http = _HttpServer(("127.0.0.1", self._port), handler)
        self._port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops listening; a hanging request ends at once."""
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        """The base URL. After closing, it refuses connections. Raises `RuntimeError` before the start."""
        if not self._port:
            raise RuntimeError("a server has a URL once it is entered: with ScriptedServer(...) as server")
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> list[Request]:
        """All requests with their outcomes, in the order of arrival."""
        with self._lock:
            return list(self._requests)

    @property
    def tokens(self) -> Tokens:
        """The sum of the tokens in the usage of all answers."""
        return Tokens(*map(sum, zip(NO_TOKENS, *(each.tokens for each in self.requests), strict=True)))

    def begin(self, request: Request) -> int:
        """Records a request that has arrived, and returns its number for `end`."""
        with self._lock:
            self._requests.append(request)
            self.in_flight_most = max(self.in_flight_most, sum(each.left is None for each in self._requests))
            return len(self._requests) - 1

    def end(self, number: int, status: int | None, tokens: Tokens) -> None:
        """Records the outcome of a request."""
        outcome: Any = {"left": time.perf_counter(), "status": status, "tokens": tokens}
        with self._lock:
            self._requests[number] = replace(self._requests[number], **outcome)

    def is_closing(self, seconds: float) -> bool:
        """Waits, and tells whether the server closes."""
        return self._closing.wait(seconds)


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints errors of a handler, but not those of a connection that the client closed."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Reads the request of one connection, in its own thread, and sends the reply."""

    listener: Listener
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body in one packet
    _has_begun = False

    def do_GET(self) -> None:
        self.close_connection = True
        request = self._request()
        number = self.listener.begin(request)
        reply = self.listener.reply_to(request)
        try:
            whole = all(self._take(reply, step) for step in reply.steps)
        except OSError:  # the client has gone
            whole = False
        # Before the answer ends, so that whoever has the answer sees it in the record.
        self.listener.end(number, reply.status if whole or self._has_begun else None, reply.tokens)
        if whole:
            self._send(reply, reply.body)
            self.wfile.write(b"0\r\n\r\n")

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Logs nothing: the record holds every request."""

    def _request(self) -> Request:
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        except ValueError:
            body = None
        body = body if isinstance(body, dict) else {}
        return Request(
            method=self.command,
            path=self.path.partition("?")[0],
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            prompt=(body.get("response_format") or {}).get("json_schema", {}).get("name"),
            messages=tuple(_messages(body)),
        )

    def _take(self, reply: Reply, step: bytes | float | None) -> bool:
        """Takes a step of the reply; returns False if it is the last one."""
        if isinstance(step, bytes):
            self._send(reply, step)
            return True
        return step is not None and self._wait(step)

    def _send(self, reply: Reply, part: bytes) -> None:
        """Sends a part of the body, and the head before the first part."""
        if not self._has_begun:
            self._has_begun = True
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Connection", "close")
            if reply.retry_after is not None:
                self.send_header("Retry-After", f"{reply.retry_after:g}")
            self.end_headers()
        if part:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))

    def _wait(self, seconds: float) -> bool:
        """Sends what was written, and waits; returns False if the server closes or the client has gone."""
        self.wfile.flush()
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            gone = select.select([self.connection], [], [], 0)[0]  # it sends nothing before its answer
            if gone or self.listener.is_closing(min(left, GLANCE_S)):
                return False
        return True


def _messages(body: Mapping[str, Any]) -> Iterable[Message]:
    """Yields the messages of a chat completion, or of a request for a response."""
    given = body.get("messages", body.get("input"))
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    for message in given if isinstance(given, list) else ():
        content = message.get("content") or ""
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in content)
        yield Message(_ROLES.get(str(message.get("role")), "user"), content)
