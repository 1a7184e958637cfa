"""Checks each request before a route gets it, reads its body, then logs it."""

import asyncio
import hmac
import logging
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import SecretStr
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rarr.errors import SettingsError
from rarr.serve.bodies import Refusal
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
_log = logging.getLogger("rarr.serve")


class Callers:
    """All callers of a server, by their tokens, and named by their places in the setting."""

    def __init__(self, given: SecretStr | None, host: str, setting: str) -> None:
        """Takes the tokens of a setting, several with commas, and the host at which the server listens.

        Raises `SettingsError` for a token that is too short, and for a server that other machines could use
        without a token.
        """
        tokens = given.get_secret_value().split(",") if given else []
        self._tokens = [token.strip() for token in tokens if token.strip()]
        self.known = bool(self._tokens)
        """Whether callers need a token."""
        for token in self._tokens:
            require_long(token, setting)
        if not self.known and not is_loopback(host):
            told = f"set RARR_{setting.upper()}, which callers send"
            raise SettingsError(f"--host {host} lets other machines in: {told}")

    def of(self, headers: Mapping[str, str]) -> str:
        """Returns the name of the caller. Raises `Refusal` for an unknown or missing token."""
        if not self._tokens:
            return "local"
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        for token in (headers.get(TOKEN_HEADER, ""), bearer if scheme.lower() == "bearer" else ""):
            if name := self._name_of(token.strip().encode(errors="replace")):
                return name
        told = "send a token of this server: Authorization: Bearer TOKEN, or X-Rarr-Token: TOKEN"
        raise Refusal(401, "invalid_token", told, WWW_Authenticate="Bearer")

    def without_tokens(self, headers: Iterable[tuple[bytes, bytes]]) -> Headers:
        """Returns the headers without those that hold a token, alone or behind a word such as Bearer."""
        return [
            (name, value)
            for name, value in headers
            if not any(map(self._name_of, (value.strip(), value.strip().partition(b" ")[2].strip())))
        ]

    def _name_of(self, token: bytes) -> str:
        """Returns the name for a token; "" if it is unknown. Each comparison takes the same time."""
        known = [hmac.compare_digest(each.encode(), token) for each in self._tokens]
        return f"c{known.index(True) + 1}" if any(known) else ""


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

    def header(self, name: str) -> str:
        """Returns the value of a header; "" without it."""
        return next((v.decode("latin-1") for k, v in self.headers if k == name.encode()), "")


class _Sending:
    """Sends the messages of one response, and remembers its status and whether it has ended."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status: int | None = None
        self.ended = False

    async def __call__(self, message: Message) -> None:
        """Sends a part of the response. Raises `ClientDisconnect` if the client does not read."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        self.ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        try:
            async with asyncio.timeout(SEND_S):
                await self._send(message)
        except TimeoutError:
            raise ClientDisconnect from None


class Gate:
    """Checks a request before `app` gets it: size, origin, token, and the requests at once.

    The app answers as a task, which is cancelled when the client leaves. It finds the `Call` in the scope.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Raises `SettingsError` for a token that is too short."""
        self._app, self._settings = app, settings
        self._callers = Callers(settings.serve_token, settings.serve_host, "serve_token")
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, also if it is refused or `app` fails; then logs it."""
        request, sending, started = Request(scope, receive), _Sending(send), time.perf_counter()
        path = scope.get("raw_path", b"").decode("ascii", "replace")
        call = Call("", scope["method"], path, scope["query_string"], [], b"")
        refusal = None
        try:
            await self._answer(request, call, sending)
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
        if path not in OPEN:
            facts = {"method": call.method, "status": sending.status or 499, "caller": call.caller or None}
            ms = round(1000 * (time.perf_counter() - started), 1)
            _log.info("request", extra={"route": "none", **facts, "ms": ms, **call.log})

    async def _answer(self, request: Request, call: Call, sending: _Sending) -> None:
        pairs = request.scope["headers"]
        if sum(len(name) + len(value) for name, value in pairs) > LONGEST_HEAD:
            told = f"the headers have more than {LONGEST_HEAD:,} bytes: send less"
            raise Refusal(431, "head_too_large", told)
        require_same_site(request.headers, tokens=self._callers.known)
        if call.path not in OPEN:
            call.caller = self._callers.of(request.headers)
            if self._in_flight >= self._settings.serve_concurrency:
                told = "too many requests at once: come again"
                raise Refusal(429, "too_many_requests", told, Retry_After="1")
        self._in_flight += 1
        try:
            call.body, call.headers = await self._body(request), self._callers.without_tokens(pairs)
            request.scope["call"] = call
            await _while_connected(self._app, request, sending)
        finally:
            self._in_flight -= 1

    async def _body(self, request: Request) -> bytes:
        """Reads the whole body. Raises `Refusal` for one that is too large or too slow."""
        most, most_s = self._settings.serve_max_body_mb, self._settings.serve_body_timeout_s
        length, body = request.headers.get("content-length", ""), bytearray()
        size = int(length) if length.isdecimal() else 0
        try:
            async with asyncio.timeout(most_s):
                async for piece in request.stream():
                    body += piece
                    if max(size, len(body)) > most * 1_000_000:
                        told = f"the body has more than {most:g} MB: send less, or raise serve_max_body_mb"
                        raise Refusal(413, "body_too_large", told, Connection="close")  # the rest is not read
        except TimeoutError:
            told = f"the body took more than {most_s:g} s: send it at once"
            raise Refusal(408, "slow_body", told, Connection="close") from None
        return bytes(body)


def require_same_site(headers: Mapping[str, str], *, tokens: bool) -> None:
    """Raises `Refusal` for another site's page, and without tokens for any name but this machine's.

    This prevents DNS rebinding: a foreign name that resolves to this machine, used by a foreign page.
    """
    host, origin = headers.get("host", ""), headers.get("origin")
    try:
        name, site = urlsplit(f"//{host}").hostname, origin and urlsplit(origin).netloc
    except ValueError:
        name = site = None
    if not tokens and not is_loopback(name or ""):
        told = "this server has no tokens, and answers on localhost alone: set RARR_SERVE_TOKEN"
        raise Refusal(403, "wrong_host", told)
    if origin is not None and site != host:
        told = "this server answers no pages of other sites: call it from a program"
        raise Refusal(403, "other_site", told)


async def _while_connected(app: ASGIApp, request: Request, sending: _Sending) -> None:
    """Runs the app until its response is sent, or until the client leaves: then the app is cancelled."""

    async def left() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    running = asyncio.ensure_future(app(request.scope, request.receive, sending))
    leaving = asyncio.create_task(left())
    try:
        await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not (running.done() or sending.ended):
            raise ClientDisconnect
        await running
    finally:
        for task in (running, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task
