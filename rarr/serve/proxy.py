"""Passes requests on to the server behind, and works on the texts of its answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2
from starlette.types import Receive, Scope, Send

from rarr.records.postprocessing import Postprocessed
from rarr.serve import sending
from rarr.serve.chat_stream import ChatStream
from rarr.serve.jobs_with_fallback import Desk
from rarr.serve.openai_answer_texts import AnswerForm, ChatCompletions, Json, Place, Responses
from rarr.serve.ordered_stream import BrokenOffError, send_in_order
from rarr.serve.rarr_answer_object import shown
from rarr.serve.refusals import Refusal
from rarr.serve.request_context import Call, Headers, call_of
from rarr.serve.request_options import RequestOptions, json_object, options_of
from rarr.serve.response_stream import ResponseStream
from rarr.serve.text_work import TextWork
from rarr.serve.upstream import Upstream, end_to_end
from rarr.settings import Settings

LONGEST_ANSWER = 64_000_000
"""Bytes of an answer that is read whole. A longer one is refused with status 502."""
FORMS: dict[str, AnswerForm] = {"/v1/chat/completions": ChatCompletions(), "/v1/responses": Responses()}
_STREAMS: dict[str, type[ChatStream | ResponseStream]] = {"chat": ChatStream, "responses": ResponseStream}


@dataclass(frozen=True)
class Order:
    """What is to become of an answer: its form, the request that asked for it, and what its caller chose."""

    form: AnswerForm
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
        form = FORMS.get(call.path) if call.method == "POST" else None
        call.log["route"] = call.path if form else "/v1/*"
        request = json_object(call.body) if form else None
        if form is None or request is None:
            await self._pass(call, call.body, send)
            return
        body = call.body
        options = RequestOptions()
        if "rarr" in request:
            options = options_of(request.pop("rarr"), self._settings)
            body = json.dumps(request, ensure_ascii=False).encode(errors="backslashreplace")
        mode = options.mode_or(self._settings)
        call.log["mode"] = mode
        why = "off" if mode == "off" else form.why_not(request)
        if why:
            call.log["outcome"] = f"passed: {why}"
            notes = [] if mode == "off" else [(b"x-rarr-notice", f"not checked: {why}".encode())]
            await self._pass(call, body, send, notes)
            return
        order = Order(form, request, options.model_copy(update={"mode": mode}))
        await self._work(call, body, order, send)

    async def _pass(self, call: Call, body: bytes, send: Send, notes: Headers | None = None) -> None:
        async with self._upstream.answer(call, body) as response:
            await self._relay(response, response.aiter_raw(), send, notes)

    async def _relay(
        self,
        response: httpx2.Response,
        pieces: AsyncIterator[bytes],
        send: Send,
        notes: Headers | None = None,
    ) -> None:
        """Sends a response on, byte by byte. If it breaks off, ours breaks off too."""
        await sending.start(send, response.status_code, [*end_to_end(response.headers.raw), *(notes or [])])
        try:
            async for data in pieces:
                await sending.piece(send, data)
        except httpx2.HTTPError as error:
            self._upstream.failure(error)
            return  # without an end, the HTTP server closes the connection
        await sending.end(send)

    async def _work(self, call: Call, body: bytes, order: Order, send: Send) -> None:
        async with self._upstream.answer(call, body, plain=True) as response:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            encoded = response.headers.get("content-encoding", "identity") != "identity"
            if (
                response.status_code != 200
                or encoded
                or kind not in ("application/json", "text/event-stream")
            ):
                call.log["outcome"] = "passed: not a plain answer"
                notes = [(b"x-rarr-notice", b"not checked: not a plain answer")]
                is_error = response.status_code != 200
                await self._relay(response, response.aiter_raw(), send, None if is_error else notes)
            elif kind == "text/event-stream":
                await self._stream(call, response, order, send)
            else:
                await self._whole(call, response, order, send)

    async def _whole(self, call: Call, response: httpx2.Response, order: Order, send: Send) -> None:
        """Works on an answer in one piece. It goes out as it came where nothing could be worked on."""
        came, size = [], 0
        try:
            async for data in response.aiter_raw():
                came.append(data)
                size += len(data)
                if size > LONGEST_ANSWER:
                    raise Refusal(502, "answer_too_long", "the answer of the server behind is too long")
        except httpx2.HTTPError as error:
            raise self._upstream.failure(error) from None
        body = b"".join(came)
        answer = json_object(body)
        texts = dict(order.form.texts(answer)) if answer else {}
        headers = end_to_end(response.headers.raw)
        if answer is None or not texts:
            why = "no text" if answer else "not a JSON object"
            call.log["outcome"] = f"passed: {why}"
            note = (b"x-rarr-notice", f"not checked: {why}".encode())
            await sending.start(send, response.status_code, [*headers, note])
            await sending.end(send, body)
            return
        results = await self._results(call, order, texts)
        for place, result in results.items():
            order.form.put(answer, place, result)
        answer["rarr"] = {"results": [shown(result, place[0]) for place, result in results.items()]}
        new = json.dumps(answer, ensure_ascii=False).encode(errors="backslashreplace")
        headers = sending.without(headers, b"content-length")
        headers += [(b"content-length", str(len(new)).encode()), *_notes(list(results.values()))]
        await sending.start(send, response.status_code, headers)
        await sending.end(send, new)

    async def _results(self, call: Call, order: Order, texts: dict[Place, str]) -> dict[Place, Postprocessed]:
        work = self._text_work(call, order)
        async with asyncio.TaskGroup() as group:
            tasks = {place: group.create_task(work.result(text)) for place, text in texts.items()}
        return {place: task.result() for place, task in tasks.items()}

    async def _stream(self, call: Call, response: httpx2.Response, order: Order, send: Send) -> None:
        headers = sending.without(end_to_end(response.headers.raw), b"content-length")
        await sending.start(send, response.status_code, headers)
        stream = _STREAMS[order.form.name](self._text_work(call, order))
        try:
            items = stream.items(self._until_it_breaks(response))
            await send_in_order(items, send, self._settings.serve_keep_alive_s)
        except BrokenOffError:
            call.log["outcome"] = "upstream broke off"
            return
        finally:
            stream.cancel()
        await sending.end(send)

    async def _until_it_breaks(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """Yields the pieces of an answer, and ends if they break off: what came before is still sent."""
        try:
            async for data in response.aiter_bytes():
                yield data
        except httpx2.HTTPError as error:
            self._upstream.failure(error)

    def _text_work(self, call: Call, order: Order) -> TextWork:
        return TextWork(
            self._desk, call, order.options, order.form.conversation(order.request), self._settings
        )


def _notes(results: list[Postprocessed]) -> Headers:
    """Makes the headers with outcome and run id, for programs that do not read the answer's object `rarr`."""
    outcome = next((r.outcome for r in results if r.outcome in ("deadline", "failed")), results[0].outcome)
    headers = [(b"x-rarr-outcome", outcome.encode())]
    if revision := results[0].revision:
        headers.append((b"x-rarr-run", revision.run_id.encode()))
    return headers
