"""Sends requests to the upstream server (the server of the model), and postprocesses its chat answers."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, nullcontext, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import unquote

import httpx2
from starlette.types import Send

from rarr.errors import SettingsError
from rarr.serve.chat import FallbackRunner, TextPostprocessor, make_job, postprocess_answer, why_skip_request
from rarr.serve.requests import Call, Headers, ProxyOptions, Refusal, json_bytes, json_object, validated_body
from rarr.serve.streams import SHORTEST_KEY, AnswerStream, broken_off_error, key_forms, key_overlap, mask_key
from rarr.settings import Settings
from rarr.tools.concurrency import meanwhile
from rarr.tools.guard.bounded_http_client import CONNECT_S, certificates
from rarr.tools.models.failures import redact_secrets

CHAT_ROUTE = "/v1/chat/completions"
LONGEST_ANSWER = 64_000_000
"""The most bytes of an answer that is not streamed. For a longer answer, the caller gets status 502."""
_CONNECTION_HEADERS = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
"""The headers for a single connection. The proxy does not send them on (RFC 9110, section 7.6.1)."""
_OTHER_TEXT_ROUTES = {"completions", "responses", "messages"}  # their answers are not checked
COMMENT_INTERVAL_S = 15.0  # a gateway may close a connection that is silent for a longer time
_UNSAFE_PATH = re.compile(r"[\x00-\x20\x7f\\]|//")


class Proxy:
    """Sends requests under /v1 to the upstream server. `client` keeps the connections to this server.

    A caller chooses only the path, never the server. If an answer repeats the API key, `*` signs replace it.
    """

    def __init__(self, jobs: FallbackRunner, settings: Settings) -> None:
        """Makes the HTTP client. Raises `SettingsError` if the address of the upstream server is wrong."""
        self._jobs, self._settings = jobs, settings
        url, key = settings.serve_upstream_url, settings.serve_upstream_key
        self._url = _upstream_url(url) if url is not None else None
        self._key = key.get_secret_value().encode() if key else None
        self.client = httpx2.AsyncClient(
            verify=certificates(),
            follow_redirects=False,  # a redirect may lead to another server
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # cookies are not shared
            timeout=httpx2.Timeout(settings.serve_upstream_timeout_s, connect=CONNECT_S, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=settings.serve_concurrency),
        )

    async def __call__(self, call: Call, send: Send) -> None:
        """Sends a request upstream, postprocesses the answer if possible, and sends it to the caller."""
        path, key = unquote(call.path).rstrip("/"), self._upstream_key_of(call)
        is_chat = call.method == "POST" and path == CHAT_ROUTE
        call.log["route"] = CHAT_ROUTE if is_chat else "/v1/*"
        other = "not a chat completion" if _OTHER_TEXT_ROUTES & set(path.split("/")) else ""
        processor = self._processor_or_reason(call) if is_chat else other
        async with self._upstream_answer(call) as answer:
            headers, pieces = _answer_headers(answer, key), _body_without_key(answer, key)
            unsized = [pair for pair in headers if pair[0] != b"content-length"]
            beside: AbstractAsyncContextManager[object] = nullcontext()
            kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            if isinstance(processor, str):
                headers += _log_unchecked(call, processor)
            elif answer.status_code == 200 and kind == "text/event-stream":
                stream = AnswerStream(processor, key.decode("latin-1"))
                headers, pieces = unsized, stream.output_pieces(pieces)
                beside = meanwhile(COMMENT_INTERVAL_S, _send_comments, send)
            elif answer.status_code == 200 and kind == "application/json":
                headers, pieces = await _postprocessed_answer(call, unsized, pieces, processor, key)
            elif answer.status_code == 200:
                headers += _log_unchecked(call, "not a plain answer")
            async with beside:
                await _send_response(call, send, answer.status_code, headers, pieces)

    def _processor_or_reason(self, call: Call) -> TextPostprocessor | str:
        """Returns a postprocessor, or a reason to use none. Removes the options `rarr` from the request."""
        if (request := json_object(call.body)) is None:
            return "the request is no JSON object"
        options = ProxyOptions()
        if "rarr" in request:
            options = validated_body(ProxyOptions, request.pop("rarr"), "rarr")
            call.body = json_bytes(request)
        call.log["mode"] = mode = options.mode or self._settings.serve_mode
        if why := "off" if mode == "off" else why_skip_request(request):
            return why
        job = make_job("postprocess", options, self._settings, mode=mode)
        return TextPostprocessor(self._jobs, call, job, request.get("messages"))

    @asynccontextmanager
    async def _upstream_answer(self, call: Call) -> AsyncIterator[httpx2.Response]:
        """Sends a request upstream. Yields the answer with an unread body. Raises `Refusal` if none comes."""
        if self._url is None:
            told = "this server has no server behind it: give rarr serve --upstream URL"
            raise Refusal(404, "no_upstream", told)
        query = b"?" + call.query if call.query else b""
        path = self._url.raw_path.rstrip(b"/") + safe_path(call.path).encode() + query
        own = [(b"host", self._url.netloc), (b"accept-encoding", b"identity")]
        own += [(b"authorization", b"Bearer " + self._key)] if self._key else []
        left_out = {b"content-length", b"expect", *dict(own)}
        headers = own + [pair for pair in _end_to_end_headers(call.headers.raw) if pair[0] not in left_out]
        url = self._url.copy_with(raw_path=path)
        try:
            request = httpx2.Request(call.method, url, headers=headers, content=call.body)
            response = await self.client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise _upstream_refusal(error) from None
        try:
            yield response
        finally:
            await asyncio.shield(response.aclose())

    def _upstream_key_of(self, call: Call) -> bytes:
        """Returns the API key that is sent upstream; b"" if there is no key, or it is too short to mask."""
        key = self._key or call.headers.get("authorization", "").rpartition(" ")[2].encode("latin-1")
        return key if len(key) >= SHORTEST_KEY else b""


async def _postprocessed_answer(
    call: Call, headers: Headers, body: AsyncGenerator[bytes, None], processor: TextPostprocessor, key: bytes
) -> tuple[Headers, AsyncGenerator[bytes, None]]:
    """Postprocesses an answer that is not streamed. Returns headers, which tell the outcome, and the body."""
    content = bytearray()
    async for piece in body:
        content += piece
        if len(content) > LONGEST_ANSWER:
            raise Refusal(502, "answer_too_long", "the answer of the server behind is too long")
    # `json_bytes` escapes the key only in ways that `mask_key` knows. The server may use others.
    value = json_object(mask_key(json_bytes(json_object(bytes(content))), key))
    results, why = await postprocess_answer(value, processor) if value else ([], "not a JSON object")
    if results:
        content = bytearray(json_bytes(value))
        notes = [(b"x-rarr-outcome", call.log["outcome"].encode())]
        if revision := results[0].revision:
            notes.append((b"x-rarr-run", revision.run_id.encode()))
    else:
        notes = _log_unchecked(call, why)

    async def whole() -> AsyncGenerator[bytes, None]:
        yield bytes(content)

    return [*headers, (b"content-length", str(len(content)).encode()), *notes], whole()


async def _send_response(
    call: Call, send: Send, status: int, headers: Headers, pieces: AsyncGenerator[bytes, None]
) -> None:
    """Sends a response piece by piece. If the upstream answer breaks off, the response breaks off too."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                if piece:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
    except Refusal:
        call.log["outcome"] = "upstream broke off"
        return  # without an end, the HTTP server closes the connection
    await send({"type": "http.response.body", "body": b""})


async def _send_comments(send: Send) -> None:
    """Sends a comment every 15 seconds. So the connection is not silent while a text is postprocessed."""
    while True:
        await send({"type": "http.response.body", "body": b": rarr is at work\n\n", "more_body": True})
        await asyncio.sleep(COMMENT_INTERVAL_S)


def _log_unchecked(call: Call, why: str) -> Headers:
    """Logs why an answer is not checked. Returns a header with `why`; [] if `why` is "" or "off"."""
    if why:
        call.log["outcome"] = f"passed: {why}"
    return [(b"x-rarr-notice", f"not checked: {why}".encode())] if why not in ("", "off") else []


async def _body_without_key(response: httpx2.Response, key: bytes) -> AsyncGenerator[bytes, None]:
    """Yields the body with the key masked. The end of a piece waits if the key may begin in it."""
    held = b""
    try:
        async for piece in response.aiter_bytes():
            held = mask_key(held + piece, key)
            begun = max(key_overlap(held, form) for form in key_forms(key))
            whole, held = held[: len(held) - begun], held[len(held) - begun :]
            if whole:
                yield whole
    except httpx2.HTTPError as error:
        raise _upstream_refusal(error) from None
    if held:
        yield held


def _answer_headers(response: httpx2.Response, key: bytes) -> Headers:
    packed = response.headers.get("content-encoding", "identity") != "identity"
    packed = packed or "transfer-encoding" in response.headers  # then the length does not count
    left_out = (b"x-rarr-", *([b"content-length", b"content-encoding"] if packed else []))
    pairs = _end_to_end_headers(response.headers.raw)
    return [(name, mask_key(value, key)) for name, value in pairs if not name.startswith(left_out)]


def _upstream_refusal(error: httpx2.HTTPError) -> Refusal:
    if isinstance(error, httpx2.LocalProtocolError):
        raise error  # a defect of rarr, and not of the upstream server
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        told = "the server behind cannot be reached: start it, or correct --upstream"
        return Refusal(502, "upstream_unreachable", told)
    if isinstance(error, httpx2.TimeoutException):
        told = "the server behind sent nothing in time: ask again, or raise serve_upstream_timeout_s"
        return Refusal(504, "upstream_timeout", told)
    return broken_off_error()


def _end_to_end_headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Returns the headers, with names in lower case, except those for one connection, such as Keep-Alive."""
    pairs = [(name.lower(), value) for name, value in headers]
    named = b",".join(value for name, value in pairs if name == b"connection")
    dropped = _CONNECTION_HEADERS | {name.strip().lower() for name in named.split(b",")}
    return [pair for pair in pairs if pair[0] not in dropped]


def safe_path(path: str) -> str:
    """Returns the part of a path after /v1. Raises `Refusal` if the path may lead out of /v1."""
    decoded = path
    for _ in range(4):  # the upstream server may decode the path more than once
        if _UNSAFE_PATH.search(decoded) or {".", ".."} & set(decoded.split("/")):
            told = "the path leads elsewhere: send the path of the API, such as /v1/models"
            raise Refusal(400, "wrong_path", told)
        if (further := unquote(decoded)) == decoded:
            return path.removeprefix("/v1")
        decoded = further
    raise Refusal(400, "wrong_path", "the path is encoded several times: encode it once")


def _upstream_url(url: str) -> httpx2.URL:
    with suppress(httpx2.InvalidURL):
        base = httpx2.URL(url)
        if base.scheme in ("http", "https") and base.host and not (base.query or base.fragment):
            return base
    shown = repr(redact_secrets(url))
    raise SettingsError(f"--upstream is {shown}: give an address, such as http://localhost:8000/v1")
