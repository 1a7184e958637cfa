"""Sends requests on to the server behind, and to no other: a caller chooses only the path below /v1."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import unquote

import httpx2

from rarr.errors import SettingsError
from rarr.serve.callers import TOKEN_HEADER
from rarr.serve.metrics import Metrics
from rarr.serve.refusals import Refusal
from rarr.serve.request_context import Call, Headers
from rarr.settings import Settings
from rarr.tools.guard.bounded_http_client import CONNECT_S, certificates

_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
"""The headers of one connection (RFC 9110, section 7.6.1)."""
_OURS = {b"host", b"content-length", b"expect", b"x-rarr-token"}
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]|//")
_ROOT = "/v1"


class Upstream:
    """The server behind this one, to which requests are passed on. Its connections are kept."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        """Raises `SettingsError` if the address of the server behind is wrong."""
        self._url = _base(settings.serve_upstream_url)
        self._key = settings.serve_upstream_key
        self._metrics = metrics
        self._client = httpx2.AsyncClient(
            verify=certificates(),
            follow_redirects=False,  # a redirect might lead to an address that was not given
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # of one caller, and not of the next
            timeout=httpx2.Timeout(settings.serve_upstream_timeout_s, connect=CONNECT_S, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=settings.serve_concurrency),
        )

    @asynccontextmanager
    async def answer(self, call: Call, body: bytes, *, plain: bool = False) -> AsyncIterator[httpx2.Response]:
        """Sends the call with this body, and yields the response, of which only the head was read.

        `plain` asks for a body that is not compressed. Raises `Refusal` if there is no response, or no server
        behind.
        """
        request = httpx2.Request(
            call.method,
            self._target(call),
            headers=self._headers(call, body, plain=plain),
            content=body,
        )
        try:
            response = await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise self.failure(error) from None
        try:
            yield response
        finally:
            await asyncio.shield(response.aclose())

    def failure(self, error: httpx2.HTTPError) -> Refusal:
        """Makes the refusal (502 or 504) for a request to the server behind that failed, and counts it."""
        late = isinstance(error, httpx2.TimeoutException)
        connected = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
        kind = "upstream_timeout" if late and connected else "upstream_unreachable"
        if connected and not late:
            kind = "upstream_broke_off"
        self._metrics.upstream_failures.labels(kind).inc()
        texts = {
            "upstream_timeout": "the server behind sent nothing in time: ask again, or change the timeout",
            "upstream_unreachable": "the server behind cannot be reached: start it, or correct --upstream",
            "upstream_broke_off": "the server behind broke off its answer: ask again",
        }
        return Refusal(504 if kind == "upstream_timeout" else 502, kind, texts[kind])

    async def aclose(self) -> None:
        """Closes the connections to the server behind."""
        await self._client.aclose()

    def _target(self, call: Call) -> httpx2.URL:
        if self._url is None:
            raise Refusal(
                404, "no_upstream", "this server has no server behind it: give rarr serve --upstream URL"
            )
        rest = safe_path(call.path)
        query = b"?" + call.query if call.query else b""
        return self._url.copy_with(raw_path=self._url.raw_path.rstrip(b"/") + rest.encode() + query)

    def _headers(self, call: Call, body: bytes, *, plain: bool) -> Headers:
        left_out = _OURS | ({b"accept-encoding"} if plain else set())
        if self._key is not None:
            left_out |= {b"authorization"}
        headers = [pair for pair in end_to_end(call.headers) if pair[0].lower() not in left_out]
        assert self._url is not None
        headers += [(b"Host", self._url.netloc), (b"Content-Length", str(len(body)).encode())]
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
            raise Refusal(
                400, "wrong_path", "the path leads elsewhere: send the path of the API, such as /v1/models"
            )
        if (further := unquote(decoded)) == decoded:
            break
        decoded = further
    else:
        raise Refusal(400, "wrong_path", "the path is encoded several times: encode it once")
    return path.removeprefix(_ROOT)


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


assert TOKEN_HEADER.encode() in _OURS
