"""Sends requests on to the server behind, and to no other: a caller chooses only the path below /v1."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import NamedTuple
from urllib.parse import unquote

import httpx2

from rarr.errors import SettingsError
from rarr.serve.bodies import Refusal
from rarr.serve.gate import TOKEN_HEADER, Call, Headers
from rarr.settings import Settings
from rarr.tools.guard.bounded_http_client import CONNECT_S, certificates

_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
"""The headers of one connection (RFC 9110, section 7.6.1)."""
_OURS = {b"host", b"content-length", b"expect", b"accept-encoding", TOKEN_HEADER.encode()}
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]|//")
_SHORTEST_KEY = 8
"""Characters of the shortest key that is removed from answers: a shorter one may be an ordinary word."""


class Answer(NamedTuple):
    """The answer of the server behind: the key of the request is `***` wherever the server repeats it.

    `pieces` are those of the unpacked body; reading raises `Refusal` where the server breaks off.
    """

    status: int
    headers: Headers
    kind: str
    pieces: AsyncGenerator[bytes, None]


class Upstream:
    """The server behind this one, to which requests are passed on. Its connections are kept."""

    def __init__(self, settings: Settings) -> None:
        """Raises `SettingsError` if the address of the server behind is wrong."""
        self._url = _base(settings.serve_upstream_url)
        self._key = settings.serve_upstream_key
        self._client = httpx2.AsyncClient(
            verify=certificates(),
            follow_redirects=False,  # a redirect might lead to an address that was not given
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # of one caller, and not of the next
            timeout=httpx2.Timeout(settings.serve_upstream_timeout_s, connect=CONNECT_S, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=settings.serve_concurrency),
        )

    @asynccontextmanager
    async def answer(self, call: Call, body: bytes) -> AsyncIterator[Answer]:
        """Sends the call with this body, and yields the answer, of which only the head was read.

        Raises `Refusal` if there is no answer, or no server behind.
        """
        if self._url is None:
            told = "this server has no server behind it: give rarr serve --upstream URL"
            raise Refusal(404, "no_upstream", told)
        query = b"?" + call.query if call.query else b""
        path = self._url.raw_path.rstrip(b"/") + safe_path(call.path).encode() + query
        url, headers = self._url.copy_with(raw_path=path), self._headers(self._url, call)
        try:
            request = httpx2.Request(call.method, url, headers=headers, content=body)
            response = await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise _failure(error) from None
        key = self.key_of(call)
        packed = response.headers.get("content-encoding", "identity") != "identity"
        unpacked = {b"content-length", b"content-encoding"} if packed else set()
        pairs = [pair for pair in end_to_end(response.headers.raw) if pair[0].lower() not in unpacked]
        hidden = [(name, masked(value, key)) for name, value in pairs]
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            yield Answer(response.status_code, hidden, kind, _pieces(response, key))
        finally:
            await asyncio.shield(response.aclose())

    def key_of(self, call: Call) -> bytes:
        """Returns the key with which a call goes on; b"" for none, and for one that may be a word."""
        own = self._key.get_secret_value().encode() if self._key is not None else None
        key = call.header("authorization").rpartition(" ")[2].encode("latin-1") if own is None else own
        return key if len(key) >= _SHORTEST_KEY else b""

    async def aclose(self) -> None:
        """Closes the connections to the server behind."""
        await self._client.aclose()

    def _headers(self, url: httpx2.URL, call: Call) -> Headers:
        left_out = _OURS | ({b"authorization"} if self._key is not None else set())
        headers = [pair for pair in end_to_end(call.headers) if pair[0].lower() not in left_out]
        headers += [(b"Host", url.netloc), (b"Accept-Encoding", b"identity")]
        if self._key is not None:
            headers.append((b"Authorization", b"Bearer " + self._key.get_secret_value().encode()))
        return headers


async def _pieces(response: httpx2.Response, key: bytes) -> AsyncGenerator[bytes, None]:
    """Yields the body without the key. What may be the beginning of the key waits for the next piece."""
    held = b""
    try:
        async for piece in response.aiter_bytes():
            held = masked(held + piece, key)
            begun = next((n for n in range(len(key) - 1, 0, -1) if held.endswith(key[:n])), 0)
            whole, held = held[: len(held) - begun], held[len(held) - begun :]
            if whole:
                yield whole
    except httpx2.HTTPError as error:
        raise _failure(error) from None
    if held:
        yield held


def masked(data: bytes, key: bytes) -> bytes:
    """Replaces the key by as many `*`, so that the length of the answer stays true."""
    return data.replace(key, b"*" * len(key)) if key else data


def _failure(error: httpx2.HTTPError) -> Refusal:
    """Makes the refusal (502 or 504) for a request to the server behind that failed."""
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        kind, told = "upstream_unreachable", "cannot be reached: start it, or correct --upstream"
    elif isinstance(error, httpx2.TimeoutException):
        kind, told = "upstream_timeout", "sent nothing in time: ask again, or change the timeout"
    else:
        kind, told = "upstream_broke_off", "broke off its answer: ask again"
    return Refusal(504 if kind == "upstream_timeout" else 502, kind, f"the server behind {told}")


def end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Returns the headers without those of a single connection, such as Keep-Alive."""
    pairs = list(headers)
    named = b",".join(value for name, value in pairs if name.lower() == b"connection")
    dropped = _HOP | {name.strip().lower() for name in named.split(b",")}
    return [(name, value) for name, value in pairs if name.lower() not in dropped]


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


def _base(url: str | None) -> httpx2.URL | None:
    if url is None:
        return None
    try:
        base = httpx2.URL(url)
    except httpx2.InvalidURL:
        base = httpx2.URL("")
    if base.scheme not in ("http", "https") or not base.host or base.query or base.fragment:
        raise SettingsError(f"--upstream is {url!r}: give an address, such as http://localhost:8000/v1")
    return base
