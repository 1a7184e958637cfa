"""Passes requests on to the server behind, and to no other, and works on its chat completions."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import unquote

import httpx2
from starlette.types import Send

from rarr.errors import SettingsError
from rarr.serve.chat import Desk, TextWork, job_of, why_not, work_on
from rarr.serve.requests import Call, Headers, ProxyOptions, Refusal, as_json, checked, json_object
from rarr.serve.streams import SHORTEST_KEY, Stream, begun_by, broken_off, forms, masked
from rarr.settings import Settings
from rarr.tools.guard.bounded_http_client import CONNECT_S, certificates

CHAT = "/v1/chat/completions"
LONGEST_ANSWER = 64_000_000
"""Bytes of an answer that is read whole. A longer one is refused with status 502."""
_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
"""The headers of one connection (RFC 9110, section 7.6.1)."""
_OTHER_TEXTS = {"completions", "responses", "messages"}
"""The parts of paths whose answers are texts too, in another form than that of chat completions."""
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]|//")


class Proxy:
    """Passes requests under /v1 on to the server behind this one, whose connections the `client` keeps.

    A caller chooses only the path. The key of a request is `***` wherever the answer repeats it.
    """

    def __init__(self, desk: Desk, settings: Settings) -> None:
        """Raises `SettingsError` if the address of the server behind is wrong."""
        self._desk, self._settings = desk, settings
        url, key = settings.serve_upstream_url, settings.serve_upstream_key
        self._url = _base(url) if url is not None else None
        self._key = key.get_secret_value().encode() if key is not None else None
        self.client = httpx2.AsyncClient(
            verify=certificates(),
            follow_redirects=False,  # a redirect might lead to an address that was not given
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # of one caller, and not of the next
            timeout=httpx2.Timeout(settings.serve_upstream_timeout_s, connect=CONNECT_S, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=settings.serve_concurrency),
        )

    async def __call__(self, call: Call, send: Send) -> None:
        """Passes one request on, and sends its answer: worked on where that is possible, else as it came."""
        path, key = unquote(call.path).rstrip("/"), self._key_of(call)
        is_chat = call.method == "POST" and path == CHAT
        call.log["route"] = CHAT if is_chat else "/v1/*"
        other = "not a chat completion" if _OTHER_TEXTS & set(path.split("/")) else ""
        work = self._work(call) if is_chat else other
        async with self._answer(call) as answer:
            headers, pieces = _passed_headers(answer, key), _pieces(answer, key)
            unsized = [pair for pair in headers if pair[0] != b"content-length"]
            kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            if isinstance(work, str):
                headers += _not_checked(call, work)
            elif answer.status_code == 200 and kind == "text/event-stream":
                headers, pieces = unsized, Stream(work, key.decode("latin-1")).pieces(pieces)
            elif answer.status_code == 200 and kind == "application/json":
                headers, pieces = await _whole(call, unsized, pieces, work, key)
            elif answer.status_code == 200:
                headers += _not_checked(call, "not a plain answer")
            await _send(call, send, answer.status_code, headers, pieces)

    def _work(self, call: Call) -> TextWork | str:
        """Makes the work on a chat completion, or returns why it passes. Takes the object `rarr` out."""
        if (request := json_object(call.body)) is None:
            return "the request is no JSON object"
        options = ProxyOptions()
        if "rarr" in request:
            options = checked(ProxyOptions, request.pop("rarr"), "rarr")
            call.body = as_json(request)
        call.log["mode"] = mode = options.mode or self._settings.serve_mode
        if why := "off" if mode == "off" else why_not(request):
            return why
        job = job_of("postprocess", options, self._settings, mode=mode)
        return TextWork(self._desk, call, job, request.get("messages"))

    @asynccontextmanager
    async def _answer(self, call: Call) -> AsyncIterator[httpx2.Response]:
        """Sends the call, and yields the answer, of which only the head was read.

        Raises `Refusal` if there is no answer, or no server behind.
        """
        if self._url is None:
            told = "this server has no server behind it: give rarr serve --upstream URL"
            raise Refusal(404, "no_upstream", told)
        query = b"?" + call.query if call.query else b""
        path = self._url.raw_path.rstrip(b"/") + safe_path(call.path).encode() + query
        own = [(b"host", self._url.netloc), (b"accept-encoding", b"identity")]
        own += [(b"authorization", b"Bearer " + self._key)] if self._key is not None else []
        left_out = {b"content-length", b"expect", *dict(own)}
        headers = own + [pair for pair in _end_to_end(call.headers) if pair[0] not in left_out]
        url = self._url.copy_with(raw_path=path)
        try:
            request = httpx2.Request(call.method, url, headers=headers, content=call.body)
            response = await self.client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise _failure(error) from None
        try:
            yield response
        finally:
            await asyncio.shield(response.aclose())

    def _key_of(self, call: Call) -> bytes:
        """Returns the key with which a call goes on; b"" for none, and for one that may be a word."""
        key = self._key or call.header("authorization").rpartition(" ")[2].encode("latin-1")
        return key if len(key) >= SHORTEST_KEY else b""


async def _whole(
    call: Call, headers: Headers, pieces: AsyncGenerator[bytes, None], work: TextWork, key: bytes
) -> tuple[Headers, AsyncGenerator[bytes, None]]:
    """Works on an answer in one piece. It goes out as it came where nothing could be worked on.

    The headers have outcome and run id, for programs that do not read the answer's object `rarr`.
    """
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > LONGEST_ANSWER:
            raise Refusal(502, "answer_too_long", "the answer of the server behind is too long")
    # Written anew, the key has no escapes but those that `masked` knows.
    value = json_object(masked(as_json(json_object(bytes(body))), key))
    results = await work_on(value, work) if value is not None else []
    if results:
        body = bytearray(as_json(value))
        notes = [(b"x-rarr-outcome", call.log["outcome"].encode())]
        if revision := results[0].revision:
            notes.append((b"x-rarr-run", revision.run_id.encode()))
    else:
        notes = _not_checked(call, "no text" if value else "not a JSON object")

    async def whole() -> AsyncGenerator[bytes, None]:
        yield bytes(body)

    return [*headers, (b"content-length", str(len(body)).encode()), *notes], whole()


async def _send(
    call: Call, send: Send, status: int, headers: Headers, pieces: AsyncGenerator[bytes, None]
) -> None:
    """Sends a response piece by piece. If the server behind breaks off, ours breaks off too."""
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


def _not_checked(call: Call, why: str) -> Headers:
    """Notes in the log why an answer passes, and makes the header that says so; none for "" and "off"."""
    if why:
        call.log["outcome"] = f"passed: {why}"
    return [(b"x-rarr-notice", f"not checked: {why}".encode())] if why not in ("", "off") else []


async def _pieces(response: httpx2.Response, key: bytes) -> AsyncGenerator[bytes, None]:
    """Yields the body without the key. What may be the beginning of the key waits for the next piece."""
    held = b""
    try:
        async for piece in response.aiter_bytes():
            held = masked(held + piece, key)
            begun = max(begun_by(held, form) for form in forms(key))
            whole, held = held[: len(held) - begun], held[len(held) - begun :]
            if whole:
                yield whole
    except httpx2.HTTPError as error:
        raise _failure(error) from None
    if held:
        yield held


def _passed_headers(response: httpx2.Response, key: bytes) -> Headers:
    packed = response.headers.get("content-encoding", "identity") != "identity"
    packed = packed or "transfer-encoding" in response.headers  # beside it, a length does not count
    unpacked = {b"content-length", b"content-encoding"} if packed else set[bytes]()
    pairs = _end_to_end(response.headers.raw)
    passed = [pair for pair in pairs if pair[0] not in unpacked and not pair[0].startswith(b"x-rarr-")]
    return [(name, masked(value, key)) for name, value in passed]


def _failure(error: httpx2.HTTPError) -> Refusal:
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        kind, told = "upstream_unreachable", "cannot be reached: start it, or correct --upstream"
    elif isinstance(error, httpx2.TimeoutException):
        kind, told = "upstream_timeout", "sent nothing in time: ask again, or change the timeout"
    else:
        return broken_off()
    return Refusal(504 if kind == "upstream_timeout" else 502, kind, f"the server behind {told}")


def _end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Returns the headers, named in lower case, without those of a single connection, such as Keep-Alive."""
    pairs = [(name.lower(), value) for name, value in headers]
    named = b",".join(value for name, value in pairs if name == b"connection")
    dropped = _HOP | {name.strip().lower() for name in named.split(b",")}
    return [pair for pair in pairs if pair[0] not in dropped]


def safe_path(path: str) -> str:
    """Returns the part of a path below /v1, as it came. Raises `Refusal` for one that leads elsewhere."""
    decoded = path
    for _ in range(4):  # a server behind may decode once more than we do
        if _UNSAFE.search(decoded) or {".", ".."} & set(decoded.split("/")):
            told = "the path leads elsewhere: send the path of the API, such as /v1/models"
            raise Refusal(400, "wrong_path", told)
        if (further := unquote(decoded)) == decoded:
            return path.removeprefix("/v1")
        decoded = further
    raise Refusal(400, "wrong_path", "the path is encoded several times: encode it once")


def _base(url: str) -> httpx2.URL:
    with suppress(httpx2.InvalidURL):
        base = httpx2.URL(url)
        if base.scheme in ("http", "https") and base.host and not (base.query or base.fragment):
            return base
    raise SettingsError(f"--upstream is {url!r}: give an address, such as http://localhost:8000/v1")
