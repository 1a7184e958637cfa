"""Passes requests on to the server behind, and works on the texts of its answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import NamedTuple

import httpx2
from starlette.types import Receive, Scope, Send

from rarr.records.postprocessing import Postprocessed
from rarr.serve.answers import PROTOCOLS, Json, Protocol, TextWork, conversation, put, texts, why_not
from rarr.serve.gate import Call, Headers, call_of
from rarr.serve.jobs import Desk
from rarr.serve.refusals import Refusal
from rarr.serve.request_options import RequestOptions, json_object, options_of
from rarr.serve.streams import BrokenOffError, ChatStream, ResponseStream, send_in_order
from rarr.serve.upstream import Upstream, end_to_end
from rarr.settings import Settings

LONGEST_ANSWER = 64_000_000
"""Bytes of an answer that is read whole. A longer one is refused with status 502."""


class Order(NamedTuple):
    """What is to become of an answer: its protocol, the request for it, and what its caller chose."""

    protocol: Protocol
    request: Json
    options: RequestOptions


class Proxy:
    """Passes requests under /v1 on to the server behind this one, and works on the texts of its answers.

    The routes of this server's own are not among them.
    """

    def __init__(self, upstream: Upstream, desk: Desk, settings: Settings) -> None:
        self._upstream, self._desk, self._settings = upstream, desk, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes one request on, and sends its answer: worked on where that is possible, else as it came."""
        call = call_of(scope)
        protocol = PROTOCOLS.get(call.path) if call.method == "POST" else None
        call.log["route"] = call.path if protocol else "/v1/*"
        request = json_object(call.body) if protocol else None
        if protocol is None or request is None:
            await self._pass(call, call.body, send)
            return
        body, options = call.body, RequestOptions()
        if "rarr" in request:
            options = options_of(request.pop("rarr"), self._settings)
            body = json.dumps(request, ensure_ascii=False).encode(errors="backslashreplace")
        call.log["mode"] = mode = options.mode or self._settings.serve_mode
        if mode == "off":
            call.log["outcome"] = "passed: off"
            await self._pass(call, body, send)
        elif why := why_not(protocol, request):
            await self._pass(call, body, send, _not_checked(call, why))
        else:
            order = Order(protocol, request, options.model_copy(update={"mode": mode}))
            await self._work(call, body, order, send)

    async def _pass(self, call: Call, body: bytes, send: Send, notes: Headers | None = None) -> None:
        async with self._upstream.answer(call, body) as response:
            await self._relay(response, send, notes or [])

    async def _relay(self, response: httpx2.Response, send: Send, notes: Headers) -> None:
        """Sends a response on, byte by byte. If it breaks off, ours breaks off too."""
        await _start(send, response.status_code, [*end_to_end(response.headers.raw), *notes])
        async for data in self._pieces(response.aiter_raw()):
            if data is None:
                return  # without an end, the HTTP server closes the connection
            await _piece(send, data)
        await _end(send)

    async def _work(self, call: Call, body: bytes, order: Order, send: Send) -> None:
        async with self._upstream.answer(call, body, plain=True) as response:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            is_plain = response.headers.get("content-encoding", "identity") == "identity"
            if response.status_code != 200:
                call.log["outcome"] = "passed: not a plain answer"
                await self._relay(response, send, [])
            elif is_plain and kind == "text/event-stream":
                await self._stream(call, response, order, send)
            elif is_plain and kind == "application/json":
                await self._whole(call, response, order, send)
            else:
                await self._relay(response, send, _not_checked(call, "not a plain answer"))

    async def _whole(self, call: Call, response: httpx2.Response, order: Order, send: Send) -> None:
        """Works on an answer in one piece. It goes out as it came where nothing could be worked on."""
        body = bytearray()
        try:
            async for data in response.aiter_raw():
                body += data
                if len(body) > LONGEST_ANSWER:
                    raise Refusal(502, "answer_too_long", "the answer of the server behind is too long")
        except httpx2.HTTPError as error:
            raise self._upstream.failure(error) from None
        answer, headers = json_object(bytes(body)), end_to_end(response.headers.raw)
        found = dict(texts(order.protocol, answer)) if answer else {}
        if answer is None or not found:
            why = "no text" if answer else "not a JSON object"
            await _start(send, 200, [*headers, *_not_checked(call, why)])
            await _end(send, bytes(body))
            return
        work = self._text_work(call, order)
        async with asyncio.TaskGroup() as group:
            tasks = {place: group.create_task(work.result(text)) for place, text in found.items()}
        results = {place: task.result() for place, task in tasks.items()}
        put(order.protocol, answer, results)
        new = json.dumps(answer, ensure_ascii=False).encode(errors="backslashreplace")
        length = (b"content-length", str(len(new)).encode())
        await _start(send, 200, [*_without_length(headers), length, *_notes(list(results.values()))])
        await _end(send, new)

    async def _stream(self, call: Call, response: httpx2.Response, order: Order, send: Send) -> None:
        await _start(send, 200, _without_length(end_to_end(response.headers.raw)))
        kind = ChatStream if order.protocol == "chat" else ResponseStream
        stream = kind(self._text_work(call, order))
        try:
            # What came before an answer breaks off is still sent.
            body = (data async for data in self._pieces(response.aiter_bytes()) if data is not None)
            keep_alive_s = self._settings.serve_keep_alive_s
            await send_in_order(stream.items(body), lambda data: _piece(send, data), keep_alive_s)
        except BrokenOffError:
            call.log["outcome"] = "upstream broke off"
            return
        finally:
            stream.cancel()
        await _end(send)

    async def _pieces(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes | None]:
        """Yields the pieces of an answer, and None where it breaks off."""
        try:
            async for data in body:
                yield data
        except httpx2.HTTPError as error:
            self._upstream.failure(error)
            yield None

    def _text_work(self, call: Call, order: Order) -> TextWork:
        turns = conversation(order.protocol, order.request)
        return TextWork(self._desk, call, order.options, turns, self._settings)


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


def _without_length(headers: Headers) -> Headers:
    return [(name, value) for name, value in headers if name.lower() != b"content-length"]


async def _start(send: Send, status: int, headers: Headers) -> None:
    lower = [(name.lower(), value) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": lower})


async def _piece(send: Send, data: bytes) -> None:
    if data:
        await send({"type": "http.response.body", "body": data, "more_body": True})


async def _end(send: Send, data: bytes = b"") -> None:
    await send({"type": "http.response.body", "body": data})
