"""Passes requests on to the server behind, and works on the texts of its answers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2
from starlette.types import Send

from rarr.records.postprocessing import Postprocessed
from rarr.serve.bodies import ProxyOptions, Refusal, as_json, checked, json_object
from rarr.serve.gate import Call, Headers
from rarr.serve.jobs import Desk
from rarr.serve.protocols import PROTOCOLS, Protocol, put, texts, turns
from rarr.serve.streams import BrokenOffError, Stream
from rarr.serve.text_work import TextWork
from rarr.serve.upstream import Upstream, end_to_end
from rarr.settings import Settings

LONGEST_ANSWER = 64_000_000
"""Bytes of an answer that is read whole. A longer one is refused with status 502."""


class Proxy:
    """Passes requests under /v1 on to the server behind this one, and works on the texts of its answers.

    The routes of this server's own are not among them.
    """

    def __init__(self, upstream: Upstream, desk: Desk, settings: Settings) -> None:
        self._upstream, self._desk, self._settings = upstream, desk, settings

    async def __call__(self, call: Call, send: Send) -> None:
        """Passes one request on, and sends its answer: worked on where that is possible, else as it came."""
        protocol = PROTOCOLS.get(call.path) if call.method == "POST" else None
        call.log["route"] = call.path if protocol else "/v1/*"
        request = json_object(call.body) if protocol else None
        body, work, notes = call.body, None, Headers()
        if protocol and request is not None:
            options = ProxyOptions()
            if "rarr" in request:
                options = checked(ProxyOptions, request.pop("rarr"), "rarr", self._settings)
                body = as_json(request)
            call.log["mode"] = mode = options.mode or self._settings.serve_mode
            if mode == "off":
                call.log["outcome"] = "passed: off"
            elif why := protocol.why_not(request):
                notes = _not_checked(call, why)
            else:
                work = TextWork(self._desk, call, options, mode, turns(request), self._settings)
        async with self._upstream.answer(call, body, plain=work is not None) as response:
            if protocol and work:
                await self._worked(call, response, protocol, work, send)
            else:
                await self._relay(call, response, send, notes)

    async def _worked(
        self, call: Call, response: httpx2.Response, protocol: Protocol, work: TextWork, send: Send
    ) -> None:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code != 200:
            call.log["outcome"] = "passed: not a plain answer"
            await self._relay(call, response, send, [])
        elif response.headers.get("content-encoding", "identity") != "identity":
            await self._relay(call, response, send, _not_checked(call, "not a plain answer"))
        elif kind == "text/event-stream":
            stream = Stream(protocol, work, self._settings.serve_keep_alive_s)
            headers = _without_length(response)
            await self._send(call, send, 200, headers, stream.pieces(response.aiter_bytes()))
        elif kind == "application/json":
            await self._whole(call, response, protocol, work, send)
        else:
            await self._relay(call, response, send, _not_checked(call, "not a plain answer"))

    async def _relay(self, call: Call, response: httpx2.Response, send: Send, notes: Headers) -> None:
        """Sends a response on, byte by byte."""

        async def pieces() -> AsyncGenerator[bytes, None]:
            try:
                async for piece in response.aiter_raw():
                    yield piece
            except httpx2.HTTPError:
                raise BrokenOffError from None

        headers = [*end_to_end(response.headers.raw), *notes]
        await self._send(call, send, response.status_code, headers, pieces())

    async def _whole(
        self, call: Call, response: httpx2.Response, protocol: Protocol, work: TextWork, send: Send
    ) -> None:
        """Works on an answer in one piece. It goes out as it came where nothing could be worked on."""
        body = bytearray()
        try:
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > LONGEST_ANSWER:
                    raise Refusal(502, "answer_too_long", "the answer of the server behind is too long")
        except httpx2.HTTPError as error:
            raise self._upstream.failure(error) from None
        answer = json_object(bytes(body))
        found = dict(texts(protocol, answer)) if answer else {}
        if answer is not None and found:
            results = dict(zip(found, await asyncio.gather(*map(work.result, found.values())), strict=True))
            put(protocol, answer, results)
            body, notes = bytearray(as_json(answer)), _notes(list(results.values()))
        else:
            notes = _not_checked(call, "no text" if answer else "not a JSON object")
        length = (b"content-length", str(len(body)).encode())
        await _start(send, 200, [*_without_length(response), length, *notes])
        await send({"type": "http.response.body", "body": bytes(body)})

    async def _send(
        self, call: Call, send: Send, status: int, headers: Headers, pieces: AsyncGenerator[bytes, None]
    ) -> None:
        """Sends a response piece by piece. If the server behind breaks off, ours breaks off too."""
        await _start(send, status, headers)
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    if piece:
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
        except BrokenOffError:
            call.log["outcome"] = "upstream broke off"
            return  # without an end, the HTTP server closes the connection
        await send({"type": "http.response.body", "body": b""})


def _not_checked(call: Call, why: str) -> Headers:
    """Notes in the log why an answer passes, and makes the header that says so."""
    call.log["outcome"] = f"passed: {why}"
    return [(b"x-rarr-notice", f"not checked: {why}".encode())]


def _notes(results: list[Postprocessed]) -> Headers:
    """Makes the headers with outcome and run id, for programs that do not read the answer's object `rarr`."""
    outcome = next((r.outcome for r in results if r.outcome in ("deadline", "failed")), results[0].outcome)
    headers = [(b"x-rarr-outcome", outcome.encode())]
    if revision := results[0].revision:
        headers.append((b"x-rarr-run", revision.run_id.encode()))
    return headers


def _without_length(response: httpx2.Response) -> Headers:
    return [pair for pair in end_to_end(response.headers.raw) if pair[0].lower() != b"content-length"]


async def _start(send: Send, status: int, headers: Headers) -> None:
    lower = [(name.lower(), value) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": lower})
