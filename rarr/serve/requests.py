"""Checks the size, origin, token and body of each request before its route runs, and logs the request."""

import asyncio
import hmac
import ipaddress
import json
import logging
import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import BaseModel, Field, StringConstraints, ValidationError
from starlette.datastructures import Headers as RequestHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rarr.batches.jobs import Sources, first_wrong_value
from rarr.errors import SettingsError
from rarr.records.postprocessing import PostprocessMode
from rarr.settings import ServeMode, Settings
from rarr.tools.concurrency import time_limit

MOST_TEXTS = 1000
"""The most texts of one answer, and the most sources of one request."""
OPEN_ROUTES = ("/", "/healthz", "/readyz")
"""The routes that need no token, because they show no data."""
_SHORTEST_TOKEN = 16  # characters; a shorter token of a caller can be guessed
_TOKEN = re.compile(f"[!-~]{{{_SHORTEST_TOKEN},}}")  # some headers cannot hold other characters
_TOKEN_HEADER = "x-rarr-token"
_READ_FACTOR = 10  # a body that is too large is read up to this multiple of the permitted size
LONGEST_HEAD = 65_536
"""The most bytes of the headers of a request."""
SEND_S = 60.0
"""If a client accepts no data for so many seconds, it counts as disconnected."""

Json = dict[str, Any]
Headers = list[tuple[bytes, bytes]]
NonBlankText = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
_NUMBER_MARK = uuid4().hex  # stands before a number that no float holds; it is secret, so no text has it
_MARKED_NUMBER = re.compile(rf'"{_NUMBER_MARK}([^"]*)"')
_OUTCOMES_BY_SEVERITY = ("nothing_to_check", "finished", "partial", "deadline", "failed")
_log = logging.getLogger("rarr.serve")


class Refusal(HTTPException):
    """An error response to a request, with a `code` for programs and a message with the cure for people."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(status, message, {name.replace("_", "-"): it for name, it in headers.items()})
        self.code = code

    def response(self) -> Response:
        """Makes the response. Its JSON has the form of OpenAI's errors."""
        kind = "server_error" if self.status_code >= 500 else "invalid_request_error"
        kind = "rate_limit_error" if self.status_code == 429 else kind
        error = {"message": self.detail, "type": kind, "param": None, "code": self.code}
        return Response(json_bytes({"error": error}), self.status_code, self.headers, "application/json")


def json_object(data: bytes) -> Json | None:
    """Returns the JSON object in `data`, else None. A number too large for a float becomes a marked text."""

    def number(digits: str) -> float | str:
        return value if math.isfinite(value := float(digits)) else f"{_NUMBER_MARK}{digits}"

    try:
        value = json.loads(data, parse_float=number)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_bytes(value: Any) -> bytes:
    """Writes a value as JSON in UTF-8. Marked texts of `json_object` become numbers again."""
    written = _MARKED_NUMBER.sub(r"\1", json.dumps(value, ensure_ascii=False))
    return written.encode(errors="backslashreplace")


class TextBody(BaseModel, frozen=True, extra="forbid", strict=True):
    """The options that a caller may give for one text."""

    sources: Sources = Field(default=[], min_length=1, max_length=MOST_TEXTS)
    search: Literal["given"] | None = None
    deadline_s: float | None = Field(default=None, gt=0, le=3600, allow_inf_nan=False)


class ProxyOptions(TextBody):
    """The object `rarr` in a request to the proxy. If `mode` is None, the server's own mode is used."""

    mode: ServeMode | None = None


class ReviseBody(TextBody):
    """A text to revise. The text answers its `context`: a question, or the messages of a conversation."""

    text: NonBlankText
    context: str | list[Json] | None = None


class PostprocessBody(ReviseBody):
    """An answer of a model, which the server corrects, cites, checks or marks."""

    mode: PostprocessMode = "revise"


class VerifyBody(ReviseBody):
    """A claim to verify against `sources`. If `sources` is empty, the sources of the server are used."""

    text: NonBlankText = Field(alias="claim")


class GuardrailBody(BaseModel, strict=True):
    """The fields that this server reads of a request of LiteLLM 1.109 to a generic guardrail."""

    input_type: Literal["request", "response"]
    texts: list[str] | None = Field(default=None, max_length=MOST_TEXTS)
    structured_messages: list[Json] | None = None
    additional_provider_specific_params: Json | None = None


BodyT = TypeVar("BodyT", bound=BaseModel)


def _body_keys(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


def validated_body(model: type[BodyT], value: Any, place: str) -> BodyT:
    """Makes a body of class `model` from `value`. Raises `Refusal`, which names a wrong value of `place`."""
    try:
        body = model.model_validate(value)
    except ValidationError as error:
        at, told = first_wrong_value(error, _body_keys(model))
        raise Refusal(400, "invalid_request", f"{place}{'.' if at else ''}{at}: {told}") from None
    if isinstance(body, TextBody) and body.search and not body.sources:
        raise Refusal(400, "no_sources", 'search is "given", but there are no sources: add sources')
    return body


@dataclass
class Call:
    """One request with its whole body. `log` collects facts for the log, but no texts and no tokens.

    `caller` is the name of the caller. `headers` has no header that contains a token of this server.
    """

    caller: str
    method: str
    path: str
    query: bytes
    headers: RequestHeaders
    body: bytes
    log: dict[str, Any] = field(default_factory=dict)

    def new_run_id(self) -> str:
        """Makes an id for a new run. The id begins with the name of the caller."""
        return f"{self.caller}-{uuid4().hex}"

    def note_outcome(self, outcome: str) -> None:
        """Puts the outcome of a text into the log. With several texts, the log gets the worst outcome."""
        self.log["outcome"] = max(self.log.get("outcome", outcome), outcome, key=_OUTCOMES_BY_SEVERITY.index)

    def read_body(self, model: type[BodyT]) -> BodyT:
        """Reads the body as JSON. Raises `Refusal` if the body or its Content-Type is wrong."""
        value, kind = json_object(self.body), self.headers.get("content-type", "")
        if value is None or kind.partition(";")[0].strip().lower() != "application/json":
            told = "it is no JSON object in UTF-8 with the header Content-Type: application/json"
            raise Refusal(400, "invalid_request", f"body: {told}: send {', '.join(_body_keys(model))}")
        return validated_body(model, value, "body")


class _ResponseSender:
    """Sends the parts of one response. `has_ended` becomes true when the last part is sent."""

    status: int | None = None
    has_ended = False

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        """Sends a part. Raises `ClientDisconnect` if the client does not read the part within 60 seconds."""
        self.status = message.get("status", self.status)
        self.has_ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        async with time_limit(SEND_S, ClientDisconnect):
            await self._send(message)


def is_loopback(host: str) -> bool:
    """Tells whether `host` is a name or an address of this machine itself."""
    with suppress(ValueError):
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    return False


class RequestGate:
    """Checks the size, origin and token of a request, and the number of requests at once, before `app` runs.

    `app` is cancelled if the client disconnects. The scope of the request holds the `Call` for `app`.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Raises `SettingsError` if a token is wrong, or if other machines could call without a token."""
        self._app, self._settings, self._in_flight = app, settings, 0
        tokens = settings.serve_token.get_secret_value().split(",") if settings.serve_token else []
        self._tokens = [token.strip() for token in tokens if token.strip()]
        if not all(_TOKEN.fullmatch(token) for token in self._tokens):
            cure = f"give {_SHORTEST_TOKEN} or more letters, digits and signs; openssl rand -hex 16 makes one"
            raise SettingsError(f"serve_token has a token that is too short or has other characters: {cure}")
        if not self._tokens and not is_loopback(settings.serve_host):
            told = "set RARR_SERVE_TOKEN, which callers send"
            raise SettingsError(f"--host {settings.serve_host} lets other machines in: {told}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, and logs it. After a refusal or a failure of `app`, the answer is an error."""
        request, sending, started = Request(scope, receive), _ResponseSender(send), time.perf_counter()
        path = scope.get("raw_path", b"").decode("ascii", "replace")
        call = Call("", scope["method"], path, scope["query_string"], RequestHeaders(), b"")
        refusal = None
        try:
            await self._check_and_answer(request, call, sending)
        except Refusal as error:
            refusal, call.log["error"] = error, error.code
        except ClientDisconnect:
            call.log["outcome"] = "client left"
        except Exception as error:
            call.log["error"] = type(error).__name__
            refusal = Refusal(500, "defect", "a defect of rarr: its log has the kind of error")
        if refusal and sending.status is None:
            with suppress(ClientDisconnect):
                await refusal.response()(scope, receive, sending)
        if path not in OPEN_ROUTES or refusal:
            facts = {"method": call.method, "status": sending.status or 499, "caller": call.caller or None}
            ms = round(1000 * (time.perf_counter() - started), 1)
            _log.info("request", extra={"route": "none", **facts, "ms": ms, **call.log})

    async def _check_and_answer(self, request: Request, call: Call, sending: _ResponseSender) -> None:
        pairs = request.scope["headers"]
        if sum(len(name) + len(value) for name, value in pairs) > LONGEST_HEAD:
            told = f"the headers have more than {LONGEST_HEAD:,} bytes: send less"
            raise Refusal(431, "head_too_large", told)
        self._require_allowed_site(request.headers)
        is_open = call.path in OPEN_ROUTES
        if not is_open:
            call.caller = self._caller_of_request(request.headers)
            if self._in_flight >= self._settings.serve_concurrency:
                raise Refusal(429, "too_many_requests", "too many at once: come again", Retry_After="1")
        self._in_flight += not is_open
        try:
            call.body = b"" if is_open else await self._read_body(request)
            call.headers = RequestHeaders(raw=[pair for pair in pairs if not self._is_token_header(*pair)])
            request.scope["call"] = call
            await _run_while_connected(self._app, request, sending)
        finally:
            self._in_flight -= not is_open

    def _caller_of_request(self, headers: Mapping[str, str]) -> str:
        if not self._tokens:
            return "local"
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        for token in (headers.get(_TOKEN_HEADER, ""), bearer if scheme.lower() == "bearer" else ""):
            if name := self._caller_of_token(token.strip().encode(errors="replace")):
                return name
        told = "send a token of this server: Authorization: Bearer TOKEN, or X-Rarr-Token: TOKEN"
        raise Refusal(401, "invalid_token", told, WWW_Authenticate="Bearer")

    def _is_token_header(self, name: bytes, value: bytes) -> bool:
        """Tells whether a header is X-Rarr-Token, or has a token as value, also behind a word (Bearer)."""
        given = value.strip(), value.strip().partition(b" ")[2].strip()
        return name == _TOKEN_HEADER.encode() or any(map(self._caller_of_token, given))

    def _caller_of_token(self, token: bytes) -> str:
        """Returns the name of the caller with this token; "" if no caller has it."""
        known = [hmac.compare_digest(each.encode(), token) for each in self._tokens]  # all: in equal time
        return f"c{known.index(True) + 1}" if any(known) else ""

    def _require_allowed_site(self, headers: Mapping[str, str]) -> None:
        """Refuses requests from pages of other sites. Without tokens, accepts only hosts like localhost."""
        host, origin = headers.get("host", ""), headers.get("origin")
        try:
            name, site = urlsplit(f"//{host}").hostname, origin and urlsplit(origin).netloc
        except ValueError:
            name = site = None
        if not self._tokens and not is_loopback(name or ""):
            told = "this server has no tokens, and answers on localhost alone: set RARR_SERVE_TOKEN"
            raise Refusal(403, "wrong_host", told)
        if origin is not None and site != host:
            told = "this server answers no pages of other sites; a proxy in front must pass Host on"
            raise Refusal(403, "other_site", told)

    async def _read_body(self, request: Request) -> bytes:
        most, most_s = self._settings.serve_max_body_mb, self._settings.serve_body_timeout_s
        declared, size, body = int(request.headers.get("content-length", 0)), 0, bytearray()
        told = f"the body has more than {most:g} MB: send less, or raise serve_max_body_mb"
        large, most = Refusal(413, "body_too_large", told, Connection="close"), most * 1_000_000
        told = f"the body took more than {most_s:g} s: send it at once"
        slow = Refusal(408, "slow_body", told, Connection="close")
        async with time_limit(most_s, lambda: large if max(declared, size) > most else slow):
            async for piece in request.stream():  # some clients read no response before they have sent all
                size += len(piece)
                body += piece if size <= most else b""
                if max(declared, size) > _READ_FACTOR * most:
                    raise large
        if size > most:
            raise large
        return bytes(body)


async def _run_while_connected(app: ASGIApp, request: Request, sending: _ResponseSender) -> None:
    """Runs `app` until its response is sent. Cancels `app` if the client disconnects."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    running = asyncio.ensure_future(app(request.scope, request.receive, sending))
    leaving = asyncio.create_task(left())
    try:
        await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not (running.done() or sending.has_ended):
            raise ClientDisconnect
        await running
    finally:
        running.cancel()
        leaving.cancel()
        await asyncio.gather(running, leaving, return_exceptions=True)
