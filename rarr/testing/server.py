"""A scripted OpenAI-compatible server on this machine, which records its requests and their outcomes."""

import json
import math
import select
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, cycle, repeat
from typing import Any, Literal, Self
from urllib.parse import parse_qsl

from rarr.testing.scripted_model import NO_TOKENS, Answers, Request, UnansweredError, answer_to, tokens_of
from rarr.tools.models.chat import Message, Tokens

FOREVER = math.inf
POLL_S = 0.02  # seconds between two checks for a closed connection, and between the bytes of `drip`
_ROLES: Mapping[str, Any] = {"system": "system", "developer": "system", "assistant": "assistant"}


@dataclass(frozen=True)
class Reply:
    """An HTTP reply. The server takes the `steps` (bytes or waits), then sends the `body`."""

    status: int
    body: bytes = b""
    steps: Iterable[bytes | float | None] = ()  # bytes to send, seconds to wait, or None: disconnect
    content_type: str = "application/json"
    retry_after: float | None = None  # seconds
    tokens: Tokens = NO_TOKENS  # the usage that the reply states


class Listener:
    """A server that answers in threads. `reply_to` makes the reply to a request. Port 0: any free port."""

    def __init__(self, reply_to: Callable[[Request], Reply], *, port: int = 0) -> None:
        self.in_flight_most = 0
        """The largest number of requests that were open at the same time."""
        self.reply_to, self._port = reply_to, port
        self._requests: list[Request] = []
        self._lock, self.closing = threading.Lock(), threading.Event()

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"listener": self})
        self._http = _HttpServer(("127.0.0.1", self._port), handler)
        self._port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops the server. Ends immediately the requests that still wait for an answer."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        """Returns the base URL of the running server, which ends in /v1."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> list[Request]:
        """Returns all requests with their outcomes, in order of arrival."""
        with self._lock:
            return list(self._requests)

    @property
    def tokens(self) -> Tokens:
        """Returns the sum of the tokens of all answers, as the answers state them in their usage."""
        return Tokens(*map(sum, zip(NO_TOKENS, *(each.tokens for each in self.requests), strict=True)))

    def record_request(self, number: int | None, request: Request) -> int:
        """Stores a request under `number`, or under a new number if `number` is None. Returns the number."""
        with self._lock:
            if number is not None:
                self._requests[number] = request
                return number
            self._requests.append(request)
            self.in_flight_most = max(self.in_flight_most, sum(each.left is None for each in self._requests))
            return len(self._requests) - 1


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints the error that ended a request. Prints nothing if the client closed the connection."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    listener: Listener
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # sends head and body in one packet
    _has_begun = False

    def do_GET(self) -> None:
        self.close_connection = True
        request = self._request()
        number = self.listener.record_request(None, request)
        reply, whole = self.listener.reply_to(request), True
        try:
            for step in reply.steps:
                if isinstance(step, bytes):
                    self._send(reply, step)
                elif step is None or not self._wait(step):
                    whole = False
                    break
        except OSError:  # the client closed the connection
            whole = False
        # The outcome is stored before the answer ends, so that a client with the answer finds the outcome.
        status = reply.status if whole or self._has_begun else None
        left = time.perf_counter()
        self.listener.record_request(number, replace(request, left=left, status=status, tokens=reply.tokens))
        if whole:
            self._send(reply, reply.body)
            self.wfile.write(b"0\r\n\r\n")

    do_POST = do_GET  # noqa: N815  # the name of http.server

    def log_message(self, *_: object) -> None:
        """Logs nothing, because the listener records all requests."""

    def _request(self) -> Request:
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        except ValueError:
            body = None
        body = body if isinstance(body, dict) else dict(parse_qsl(self.path.partition("?")[2]))
        return Request(
            method=self.command,
            path=self.path.partition("?")[0],
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            prompt=(body.get("response_format") or {}).get("json_schema", {}).get("name"),
            messages=tuple(_messages(body)),
        )

    def _send(self, reply: Reply, part: bytes) -> None:
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
        """Sends the written bytes, then waits. Returns False if the server or client ends the wait early."""
        self.wfile.flush()
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            gone = select.select([self.connection], [], [], 0)[0]  # readable: the client closed it
            if gone or self.listener.closing.wait(min(left, POLL_S)):
                return False
        return True


def _messages(body: Mapping[str, Any]) -> Iterable[Message]:
    given = body.get("messages")
    for message in given if isinstance(given, list) else ():
        content = message.get("content") or ""
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in content)
        yield Message(_ROLES.get(str(message.get("role")), "user"), content)


TOKEN = 4  # the characters of a token
_PAGE = b"<!DOCTYPE html><html><body><h1>Welcome to the gateway</h1></body></html>"


@dataclass(frozen=True)
class Failure:
    """A planned failure of a request. Its `kind` is an HTTP status, as in `Failure(429)`, or a name below.

        hang      the server sends no answer
        drip      the server sends single bytes without end
        stall     a stream stops after its first token; an answer in one piece hangs
        endless   a stream repeats `message` without end; an answer in one piece ends at `max_tokens`
        die       the connection closes after half of the answer
        cut       the server sends half of each text, with finish_reason "length"
        html      the server sends a page of HTML, as a proxy may, with status 200
        empty     the server sends a completion without choices
        no_usage  the server sends a completion without usage

    With a status, `message` is the text of the error, and `retry_after` is in seconds.
    """

    kind: int | Literal["hang", "drip", "stall", "endless", "die", "cut", "html", "empty", "no_usage"]
    message: str = ""
    retry_after: float | None = None


def error_reply(status: int, message: str, *, param: str = "", retry_after: float | None = None) -> Reply:
    """Makes an error reply in the form of OpenAI."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error = {"message": message, "type": kind, "param": param or None, "code": None}
    return Reply(status, _as_json({"error": error}), retry_after=retry_after)


def reply_to_failure(failure: Failure | None, *, streams: bool = False) -> Reply | None:
    """Returns the reply to send instead of a completion; None if a completion is sent, whole or damaged."""
    match failure:
        case Failure(int(status), message, retry_after):
            return error_reply(status, message or HTTPStatus(status).phrase, retry_after=retry_after)
        case Failure("hang" | "stall") if failure.kind == "hang" or not streams:
            return Reply(200, steps=[FOREVER])
        case Failure("drip"):
            return Reply(200, steps=cycle([b" ", POLL_S]))
        case Failure("html"):
            return Reply(200, _PAGE, content_type="text/html")
    return None


def completion_reply(
    request: Request, texts: Sequence[str], tokens: Tokens, failure: Failure | None, latency: float
) -> Reply:
    """Returns a completion with the `texts`, as a stream if requested. `failure` damages the completion."""
    kind, message = (failure.kind, failure.message) if failure else (None, "")
    if kind == "cut":
        texts = [text[: len(text) // 2] for text in texts]
    elif kind == "endless":
        most = TOKEN * int(request.body.get("max_tokens") or 1000)
        texts = [(message * most)[:most]]
    whole = _completion(request, texts, "length" if kind in ("cut", "endless") else "stop", tokens)
    if kind == "empty":
        whole["choices"] = []
    if kind == "no_usage":
        del whole["usage"]
    counted = tokens if kind not in ("no_usage", "die", "stall") else NO_TOKENS
    if streams := bool(request.body.get("stream")):
        *parts, end = _chunks(whole, request)
    else:
        body = _as_json(whole)
        parts, end = [body[: len(body) // 2]], body[len(body) // 2 :]
    steps: Iterator[bytes | float | None] = iter(parts)
    if kind == "die":
        steps = chain(parts[: (len(parts) + 1) // 2], [None])
    elif kind == "stall":
        steps = chain(parts[:1], [FOREVER])
    elif kind == "endless" and streams:
        steps = repeat(parts[0])
    media = "text/event-stream" if streams else "application/json"
    return Reply(200, end, chain([latency], steps), media, tokens=counted)


def _completion(request: Request, texts: Sequence[str], finish: str, tokens: Tokens) -> dict[str, Any]:
    end = {"logprobs": None, "finish_reason": finish}
    messages = ({"role": "assistant", "content": text} for text in texts)
    choices = [{"index": index, "message": message, **end} for index, message in enumerate(messages)]
    usage = {"prompt_tokens": tokens.input, "completion_tokens": tokens.output}
    usage["total_tokens"] = sum(usage.values())
    head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": "chat.completion", "created": int(time.time())}
    return {**head, "model": request.model_name, "choices": choices, "usage": usage}


def _chunks(whole: Mapping[str, Any], request: Request) -> Iterator[bytes]:
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    for choice in whole["choices"]:
        text = choice["message"]["content"]
        deltas = [{"role": "assistant", "content": text[n : n + TOKEN]} for n in range(0, len(text), TOKEN)]
        for delta in (*deltas, {}):
            finish = None if delta else choice["finish_reason"]
            made = {"index": choice["index"], "delta": delta, "logprobs": None, "finish_reason": finish}
            yield b"data: " + _as_json({**head, "choices": [made]}) + b"\n\n"
    usage = b""
    if "usage" in whole and (request.body.get("stream_options") or {}).get("include_usage"):
        usage = b"data: " + _as_json({**head, "choices": [], "usage": whole["usage"]}) + b"\n\n"
    yield usage + b"data: [DONE]\n\n"


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")  # \\ud800, as in JSON


Plan = Iterable[Failure | None] | Callable[[Request], Failure | None]
"""The failures of completions in order, or a function from a request to its failure. None: no failure."""


class ScriptedServer(Listener):
    """Answers POST /v1/chat/completions from a script, and GET /v1/models.

        with ScriptedServer({"When did it open?": {"verdict": "agrees"}}, plan=[Failure(429)]) as server:
            client = AsyncOpenAI(base_url=server.url, api_key="none")

    `answers`: a function that gets the `Request`, or a mapping from words in the messages to the answer.
    Several threads may call the function at once. A request for `n` answers calls the function `n` times.
    If the script has no answer, the status is 400. `plan`: a `Failure` or None for each completion, in order.
    `requires_key`: a request with another API key gets status 401, and the message repeats the wrong key.
    `rejects`: the parameters that the server refuses, such as `response_format` or `temperature`.
    `latency`: the seconds before an answer. `port`: 0 means any free port.
    """

    def __init__(
        self,
        answers: Answers[Request],
        *,
        models: Sequence[str] = ("scripted",),
        port: int = 0,
        latency: float = 0.0,
        plan: Plan = (),
        requires_key: str | None = None,
        rejects: Sequence[str] = (),
    ) -> None:
        super().__init__(self._reply_to, port=port)
        self._answers, self._models, self._latency = answers, models, latency
        self._requires_key, self._rejects = requires_key, tuple(rejects)
        entries = iter(()) if callable(plan) else iter(plan)
        self._plan = plan if callable(plan) else lambda request: next(entries, None)
        self._plan_lock = threading.Lock()

    def _reply_to(self, request: Request) -> Reply:
        match request.method, request.path:
            case "GET", "/v1/models":
                model = {"object": "model", "created": 0, "owned_by": "r"}
                data = [{"id": name, **model} for name in self._models]
                return self._key_refusal(request) or Reply(200, _as_json({"object": "list", "data": data}))
            case "POST", "/v1/chat/completions":
                try:
                    return self._complete(request)
                except UnansweredError as error:
                    return error_reply(400, str(error))
                except Exception as error:  # the functions of a test may raise anything
                    return error_reply(500, f"the script raised {type(error).__name__}: {error}")
        return error_reply(404, f"Invalid URL ({request.method} {request.path})")

    def _complete(self, request: Request) -> Reply:
        with self._plan_lock:
            failure = self._plan(request)
        refusal = reply_to_failure(failure, streams=bool(request.body.get("stream")))
        if refusal := refusal or self._key_refusal(request) or self._refusal(request):
            return refusal
        texts = [answer_to(replace(request, sample=n), self._answers) for n in range(request.n)]
        tokens = tokens_of(request.messages, texts)
        return completion_reply(request, texts, tokens, failure, self._latency)

    def _key_refusal(self, request: Request) -> Reply | None:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        is_right = self._requires_key in (None, given)
        return None if is_right else error_reply(401, f"Incorrect API key provided: {given}.")

    def _refusal(self, request: Request) -> Reply | None:
        if not request.messages:
            return error_reply(400, "Missing required parameter: 'messages'.", param="messages")
        for name in self._rejects:
            if name in request.body and (name != "n" or request.n > 1):
                said = f"'{name}' does not support {json.dumps(request.body[name])} with this model."
                return error_reply(400, f"Unsupported value: {said}", param=name)
        return None
