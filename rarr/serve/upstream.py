"""Sends requests on to the server behind, and to no other: a caller chooses only the path below /v1."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
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
_OURS = {b"host", b"content-length", b"expect", TOKEN_HEADER.encode()}
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]|//")


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
    async def answer(self, call: Call, body: bytes, *, plain: bool) -> AsyncIterator[httpx2.Response]:
        """Sends the call with this body, and yields the response, of which only the head was read.

        `plain` asks for a body that is not compressed. Raises `Refusal` if there is no response, or no server
        behind.
        """
        if self._url is None:
            told = "this server has no server behind it: give rarr serve --upstream URL"
            raise Refusal(404, "no_upstream", told)
        query = b"?" + call.query if call.query else b""
        path = self._url.raw_path.rstrip(b"/") + safe_path(call.path).encode() + query
        url, headers = self._url.copy_with(raw_path=path), self._headers(self._url, call, plain=plain)
        try:
            request = httpx2.Request(call.method, url, headers=headers, content=body)
            response = await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise self.failure(error) from None
        try:
            yield response
        finally:
            await asyncio.shield(response.aclose())

    @staticmethod
    def failure(error: httpx2.HTTPError) -> Refusal:
        """Makes the refusal (502 or 504) for a request to the server behind that failed."""
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            kind, told = "upstream_unreachable", "cannot be reached: start it, or correct --upstream"
        elif isinstance(error, httpx2.TimeoutException):
            kind, told = "upstream_timeout", "sent nothing in time: ask again, or change the timeout"
        else:
            kind, told = "upstream_broke_off", "broke off its answer: ask again"
        return Refusal(504 if kind == "upstream_timeout" else 502, kind, f"the server behind {told}")

    async def aclose(self) -> None:
        """Closes the connections to the server behind."""
        await self._client.aclose()

    def _headers(self, url: httpx2.URL, call: Call, *, plain: bool) -> Headers:
        left_out = _OURS | ({b"accept-encoding"} if plain else set())
        left_out |= {b"authorization"} if self._key is not None else set()
        headers = [pair for pair in end_to_end(call.headers) if pair[0].lower() not in left_out]
        headers.append((b"Host", url.netloc))
        if plain:
            headers.append((b"Accept-Encoding", b"identity"))
        if self._key is not None:
            headers.append((b"Authorization", b"Bearer " + self._key.get_secret_value().encode()))
        return headers


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
