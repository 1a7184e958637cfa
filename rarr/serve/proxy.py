"""Passes requests on to the server behind, and works on the texts of its answers."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.types import Send

from rarr.records.postprocessing import Postprocessed
from rarr.serve.bodies import ProxyOptions, Refusal, as_json, checked, json_object
from rarr.serve.gate import Call, Headers
from rarr.serve.jobs import Desk
from rarr.serve.protocols import PROTOCOLS, Protocol, put, texts, turns
from rarr.serve.streams import Stream
from rarr.serve.text_work import TextWork, Worked, WorkedText
from rarr.serve.upstream import Answer, Upstream
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
        body, work, why = call.body, None, ""
        if protocol and request is not None:
            options = ProxyOptions()
            if "rarr" in request:
                options = checked(ProxyOptions, request.pop("rarr"), "rarr", self._settings)
                body = as_json(request)
            call.log["mode"] = mode = options.mode or self._settings.serve_mode
            if mode == "off":
                call.log["outcome"] = "passed: off"
            elif not (why := protocol.why_not(request)):
                key = self._upstream.key_of(call).decode("latin-1")
                work = TextWork(self._desk, call, options, mode, turns(request), self._settings, key)
        async with self._upstream.answer(call, body) as answer:
            if not (protocol and work and answer.status == 200):
                await _passed(call, send, answer, why)
            elif answer.kind == "text/event-stream":
                stream = Stream(protocol, work, self._settings.serve_keep_alive_s)
                await _send(call, send, 200, _without_length(answer), stream.pieces(answer.pieces))
            elif answer.kind == "application/json":
                await self._whole(call, answer, protocol, work, send)
            else:
                await _passed(call, send, answer, "not a plain answer")

    async def _whole(
        self, call: Call, answer: Answer, protocol: Protocol, work: TextWork, send: Send
    ) -> None:
        """Works on an answer in one piece. It goes out as it came where nothing could be worked on."""
        body = bytearray()
        async for piece in answer.pieces:
            body += piece
            if len(body) > LONGEST_ANSWER:
                raise Refusal(502, "answer_too_long", "the answer of the server behind is too long")
        value = json_object(bytes(body))
        found = dict(texts(protocol, value)) if value else {}
        if value is not None and found:
            results = await asyncio.gather(*map(work.result, found.values()))
            worked: Worked = defaultdict(WorkedText)
            for place, result in zip(found, results, strict=True):
                worked[place].add(result)
            put(protocol, value, worked)
            body, notes = bytearray(as_json(value)), _notes(results)
        else:
            notes = _not_checked(call, "no text" if value else "not a JSON object")
        length = (b"content-length", str(len(body)).encode())
        await _start(send, 200, [*_without_length(answer), length, *notes])
        await send({"type": "http.response.body", "body": bytes(body)})


async def _passed(call: Call, send: Send, answer: Answer, why: str) -> None:
    """Sends an answer as it came, with the reason `why` it was not checked; "" for none."""
    notes = _not_checked(call, why) if why else []
    await _send(call, send, answer.status, [*answer.headers, *notes], answer.pieces)


async def _send(
    call: Call, send: Send, status: int, headers: Headers, pieces: AsyncGenerator[bytes, None]
) -> None:
    """Sends a response piece by piece. If the server behind breaks off, ours breaks off too."""
    await _start(send, status, headers)
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                if piece:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
    except Refusal:
        call.log["outcome"] = "upstream broke off"
        return  # without an end, the HTTP server closes the connection
    await send({"type": "http.response.body", "body": b""})


async def _start(send: Send, status: int, headers: Headers) -> None:
    lower = [(name.lower(), value) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": lower})


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


def _without_length(answer: Answer) -> Headers:
    return [pair for pair in answer.headers if pair[0].lower() != b"content-length"]
