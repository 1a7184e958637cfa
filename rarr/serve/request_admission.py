"""Checks each request before a route gets it, then counts and logs it."""

import asyncio
import logging
import time
from contextlib import suppress
from typing import Any

from starlette.datastructures import Headers as HeaderMap
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rarr.serve.bodies import ClientGoneError, read_body
from rarr.serve.callers import Callers
from rarr.serve.metrics import Metrics
from rarr.serve.origins import require_same_site
from rarr.serve.refusals import Refusal, defect, too_many
from rarr.serve.request_context import Call
from rarr.settings import Settings

OPEN = ("/", "/healthz", "/readyz")
"""The routes that need no token: they tell nothing. The page at `/` asks for a token itself."""
LONGEST_HEAD = 65_536
"""Bytes of the headers of a request, at most."""
SEND_S = 60.0
"""Seconds in which a client must have room for a part of a response, at most: otherwise it counts as gone."""
_log = logging.getLogger("rarr.serve")


class Sending:
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
        """Sends a whole response that refuses the request."""
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

    def __init__(self, app: ASGIApp, settings: Settings, callers: Callers, metrics: Metrics) -> None:
        self._app, self._settings = app, settings
        self._callers, self._metrics = callers, metrics
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, also if it is refused or `app` fails; then counts and logs it."""
        sending, log, started = Sending(send), dict[str, Any](), time.perf_counter()
        self._metrics.in_flight.inc()
        try:
            await self._answer(scope, receive, sending, log)
        except Refusal as refusal:
            log["error"] = refusal.code
            if sending.status is None:
                await sending.refuse(refusal)
        except ClientGoneError:
            log["outcome"] = "client left"
            self._metrics.left.inc()
        except Exception as error:
            log["error"] = type(error).__name__
            if sending.status is None:
                await sending.refuse(defect())
        finally:
            self._metrics.in_flight.dec()
            self._tell(scope, sending, log, time.perf_counter() - started)

    async def _answer(self, scope: Scope, receive: Receive, sending: Sending, log: dict[str, Any]) -> None:
        headers = HeaderMap(scope=scope)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > LONGEST_HEAD:
            raise Refusal(
                431, "head_too_large", f"the headers have more than {LONGEST_HEAD:,} bytes: send less"
            )
        require_same_site(headers, tokens=self._callers.known)
        if scope["path"] in OPEN:
            await self._app(scope, receive, sending)
            return
        caller = self._callers.of(headers)
        log["caller"] = caller.name
        self._callers.count(caller)
        if self._in_flight >= self._settings.serve_concurrency:
            raise too_many("too_many_requests", "too many requests at once: come again", 1)
        self._in_flight += 1
        try:
            body = await read_body(receive, headers.get("content-length"), self._settings)
            path = scope.get("raw_path", b"").decode("ascii", "replace")
            own = self._callers.without_tokens(scope["headers"])
            call = Call(caller, scope["method"], path, scope["query_string"], own, body, log)
            scope.setdefault("state", {})["call"] = call
            await _while_connected(receive, self._app, scope, body, sending)
        finally:
            self._in_flight -= 1

    def _tell(self, scope: Scope, sending: Sending, log: dict[str, Any], seconds: float) -> None:
        """Counts a request and writes a line of the log, without a line for /healthz and /readyz.

        A route is named by its pattern: a path may hold anything.
        """
        route = log.pop("route", None) or getattr(scope.get("route"), "path", "none")
        status = sending.status or 499
        self._metrics.requests.labels(route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        if route not in OPEN:
            facts = {
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round(1000 * seconds, 1),
            }
            _log.info("request", extra=facts | log)


async def _while_connected(
    receive: Receive, app: ASGIApp, scope: Scope, body: bytes, sending: Sending
) -> None:
    """Runs the app until its response is sent, or until the client leaves: then the app is cancelled."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        if not messages:
            await asyncio.Event().wait()  # the gate itself waits for the client to leave
        return messages.pop()

    running = asyncio.ensure_future(app(scope, replay, sending))
    leaving = asyncio.ensure_future(_left(receive))
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


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
