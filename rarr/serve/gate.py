"""Checks each request before a route gets it, reads its body, then counts and logs it."""

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from starlette.datastructures import Headers as HeaderMap
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rarr.serve.metrics import Metrics
from rarr.serve.refusals import Refusal, defect, too_many
from rarr.settings import Settings
from rarr.tools.guard.listening import is_loopback, require_long

Headers = list[tuple[bytes, bytes]]
OPEN = ("/healthz", "/readyz")
"""The routes that need no token: they show nothing."""
TOKEN_HEADER = "x-rarr-token"
LONGEST_HEAD = 65_536
"""Bytes of the headers of a request, at most."""
SEND_S = 60.0
"""Seconds in which a client must have room for a part of a response, at most: otherwise it counts as gone."""
_CLOSE = {"Connection": "close"}  # the rest of the body is not read
_log = logging.getLogger("rarr.serve")


class ClientGoneError(Exception):
    """The client closed the connection, or does not read."""


class Callers:
    """All callers of the server, by their tokens. A name is a hash, from which nobody finds the token."""

    def __init__(self, settings: Settings) -> None:
        """Raises `SettingsError` for a token that is too short."""
        given = settings.serve_token.get_secret_value() if settings.serve_token else ""
        tokens = [token.strip() for token in given.split(",") if token.strip()]
        for token in tokens:
            require_long(token, "serve_token")
        self._names = {token.encode(): _name(token) for token in tokens}
        self._rate = settings.serve_rate
        self._budgets: dict[str, tuple[float, float]] = {}

    @property
    def known(self) -> bool:
        """Tells whether callers need a token."""
        return bool(self._names)

    def of(self, headers: Mapping[str, str]) -> str:
        """Returns the name of the caller. Raises `Refusal` for an unknown or missing token."""
        if not self._names:
            return "local"
        for header in (TOKEN_HEADER, "authorization", "x-api-key"):
            given = headers.get(header, "").strip()
            scheme, _, rest = given.partition(" ")
            token = rest.strip() if header == "authorization" and scheme.lower() == "bearer" else given
            if name := self._name_of(token.encode(errors="replace")):
                return name
        raise Refusal(
            401,
            "invalid_token",
            "send a token of this server: Authorization: Bearer TOKEN, or X-Rarr-Token: TOKEN",
            headers={"WWW-Authenticate": "Bearer"},
        )

    def without_tokens(self, headers: Iterable[tuple[bytes, bytes]]) -> Headers:
        """Returns the headers of a request without those that hold a token, whatever their name is."""
        return [(name, value) for name, value in headers if not self._holds_token(value)]

    def _holds_token(self, value: bytes) -> bool:
        """Tells whether a header's value is a token of this server, alone or behind a word such as Bearer."""
        _, _, rest = (whole := value.strip()).partition(b" ")
        return any(self._name_of(token) for token in (whole, rest.strip()))

    def _name_of(self, token: bytes) -> str:
        """Returns the name for a token; "" if it is unknown. Each comparison takes the same time."""
        matches = [name for known, name in self._names.items() if hmac.compare_digest(known, token)]
        return matches[-1] if matches else ""

    def count(self, caller: str) -> None:
        """Counts a request. Raises `Refusal` if the caller has made too many in the last minute."""
        if self._rate is None:
            return
        now = time.monotonic()
        left, since = self._budgets.get(caller, (float(self._rate), now))
        left = min(self._rate, left + (now - since) * self._rate / 60)
        self._budgets[caller] = (max(0.0, left - 1) if left >= 1 else left, now)
        if left < 1:
            told = f"more than {self._rate} requests in a minute: wait, or raise serve_rate"
            raise too_many("rate_limit_exceeded", told, (1 - left) * 60 / self._rate)


def _name(token: str) -> str:
    return hashlib.scrypt(token.encode(), salt=b"rarr serve", n=2**14, r=8, p=1, dklen=6).hex()


@dataclass
class Call:
    """One request with its whole body. `log` collects what the log tells about it: no text, no token.

    `headers` are those of the request without those that held a token of this server.
    """

    caller: str
    method: str
    path: str
    query: bytes
    headers: Headers
    body: bytes
    log: dict[str, Any] = field(default_factory=dict)

    def new_run(self) -> str:
        """Makes the id of a run of this caller."""
        return f"{self.caller}-{uuid4().hex}"


def call_of(scope: Scope) -> Call:
    """Returns the `Call` that the gate made of a request and put into its scope."""
    call: Call = scope["state"]["call"]
    return call


class _Sending:
    """Sends the messages of one response, and remembers its status and whether it has ended."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status: int | None = None
        self.ended = self.is_stuck = False

    async def __call__(self, message: Message) -> None:
        """Sends a part of the response. Raises `ClientGoneError` if the client does not read."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        self.ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        try:
            async with asyncio.timeout(SEND_S):
                await self._send(message)
        except TimeoutError:
            self.is_stuck = True
            raise ClientGoneError from None

    async def refuse(self, refusal: Refusal) -> None:
        """Sends a whole response that refuses the request, unless another one has begun."""
        if self.status is not None:
            return
        body = refusal.body()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        headers |= refusal.headers or {}
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self({"type": "http.response.start", "status": refusal.status_code, "headers": raw})
        await self({"type": "http.response.body", "body": body})


class Gate:
    """Checks a request before `app` gets it: size, origin, token, rate, and the requests at once.

    The app answers as a task, which is cancelled when the client leaves.
    """

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        """Raises `SettingsError` for a token that is too short."""
        self._app, self._settings, self._metrics = app, settings, metrics
        self._callers = Callers(settings)
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, also if it is refused or `app` fails; then counts and logs it."""
        sending, log, started = _Sending(send), dict[str, Any](), time.perf_counter()
        self._metrics.in_flight.inc()
        try:
            await self._answer(scope, receive, sending, log)
        except Refusal as refusal:
            log["error"] = refusal.code
            await sending.refuse(refusal)
        except ClientGoneError:
            log["outcome"] = "client left"
            self._metrics.left.inc()
        except Exception as error:
            log["error"] = type(error).__name__
            await sending.refuse(defect())
        finally:
            self._metrics.in_flight.dec()
            self._record(scope, sending, log, time.perf_counter() - started)

    async def _answer(self, scope: Scope, receive: Receive, sending: _Sending, log: dict[str, Any]) -> None:
        headers = HeaderMap(scope=scope)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > LONGEST_HEAD:
            raise Refusal(
                431, "head_too_large", f"the headers have more than {LONGEST_HEAD:,} bytes: send less"
            )
        require_same_site(headers, tokens=self._callers.known)
        if scope["path"] in OPEN:
            await self._app(scope, receive, sending)
            return
        log["caller"] = caller = self._callers.of(headers)
        self._callers.count(caller)
        if self._in_flight >= self._settings.serve_concurrency:
            raise too_many("too_many_requests", "too many requests at once: come again", 1)
        self._in_flight += 1
        try:
            body = await _body(receive, headers.get("content-length"), self._settings)
            path = scope.get("raw_path", b"").decode("ascii", "replace")
            own = self._callers.without_tokens(scope["headers"])
            call = Call(caller, scope["method"], path, scope["query_string"], own, body, log)
            scope.setdefault("state", {})["call"] = call
            await _while_connected(receive, self._app, scope, body, sending)
        finally:
            self._in_flight -= 1

    def _record(self, scope: Scope, sending: _Sending, log: dict[str, Any], seconds: float) -> None:
        """Counts a request, and logs it unless it asks for health. A path may hold anything: not logged."""
        route = log.pop("route", None) or getattr(scope.get("route"), "path", "none")
        status = sending.status or 499
        self._metrics.requests.labels(route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        if route not in OPEN:
            facts = {"method": scope["method"], "route": route, "status": status}
            _log.info("request", extra=facts | {"ms": round(1000 * seconds, 1)} | log)


def require_same_site(headers: Mapping[str, str], *, tokens: bool) -> None:
    """Raises `Refusal` for another site's page, and without tokens for any name but this machine's.

    This prevents DNS rebinding: a foreign name that resolves to this machine, used by a foreign page.
    """
    host = headers.get("host", "")
    if not tokens and not is_loopback(_split(f"//{host}").hostname or ""):
        told = "this server has no tokens, and answers on localhost alone: set RARR_SERVE_TOKEN"
        raise Refusal(403, "wrong_host", told)
    origin = headers.get("origin")
    if origin is not None and _split(origin).netloc != host:
        told = "this server answers no pages of other sites: call it from a program"
        raise Refusal(403, "other_site", told)


def _split(address: str) -> Any:
    try:
        parts = urlsplit(address)
        parts.hostname  # noqa: B018  # raises for a wrong address
    except ValueError:
        return urlsplit("")
    return parts


async def _body(receive: Receive, length: str | None, settings: Settings) -> bytes:
    """Reads the whole body. Raises `Refusal` for one that is too large or too slow."""
    most = int(settings.serve_max_body_mb * 1_000_000)
    size = f"{settings.serve_max_body_mb:g} MB: send less, or raise serve_max_body_mb"
    too_large = Refusal(413, "body_too_large", f"the body has more than {size}", headers=_CLOSE)
    if length is not None and length.isdecimal() and int(length) > most:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(settings.serve_body_timeout_s):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                body += message.get("body", b"")
                if len(body) > most:
                    raise too_large
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        told = f"the body took more than {settings.serve_body_timeout_s:g} s: send it at once"
        raise Refusal(408, "slow_body", told, headers=_CLOSE) from None


async def _while_connected(
    receive: Receive, app: ASGIApp, scope: Scope, body: bytes, sending: _Sending
) -> None:
    """Runs the app until its response is sent, or until the client leaves: then the app is cancelled."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        if not messages:
            await asyncio.Event().wait()  # the gate itself waits for the client to leave
        return messages.pop()

    async def left() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    running, leaving = asyncio.ensure_future(app(scope, replay, sending)), asyncio.create_task(left())
    try:
        await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if sending.is_stuck or not (running.done() or sending.ended):
            raise ClientGoneError  # the app may have put the error of `sending` into a group of errors
        await running
    finally:
        for task in (running, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task
