"""Reads the answer of a server up to a limit of bytes. Both the sent and the unpacked bytes are limited.

One megabyte of gzip may unpack to a thousand megabytes. So every HTTP client of the package is made here, or
its answers are read with `body_pieces`. Only the proxy of `rarr serve` passes answers on without a limit.
"""

import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from functools import cache
from typing import Any

import httpx2

from rarr.tools.models.chat import CallFailure
from rarr.tools.text.wording import safe_text

LONGEST = 10_000_000
"""The most bytes of a JSON answer. No usual answer of a model or a search comes near this limit."""

REQUEST_HEADERS = {"Accept-Encoding": "gzip"}
"""Headers that ask for gzip, the only encoding that is unpacked here."""

CONNECT_S = 5.0
"""Seconds in which a server must accept a connection."""

certificates = cache(httpx2.create_ssl_context)
"""Loads the certificates that the system trusts, once for all clients, since loading takes 40 ms."""


class UnreadableBodyError(Exception):
    """The body of an HTTP answer cannot be read. The message is the reason, without the server's name."""


class AnswerTooLongError(UnreadableBodyError):
    """The body of an HTTP answer has more bytes than the limit allows."""


def bounded_client(
    name: str, *, most: int = LONGEST, headers: Mapping[str, str] = REQUEST_HEADERS, **options: Any
) -> httpx2.AsyncClient:
    """Makes an HTTP client that reads at most `most` bytes of each answer.

    The client raises `CallFailure` if an answer is longer or cannot be unpacked; the message begins with
    `name`, the name of the server. `options` are options of `httpx2.AsyncClient`.
    """
    sent = httpx2.Headers(headers)  # joins names that differ only in upper and lower case
    sent.update(REQUEST_HEADERS)

    async def limit(response: httpx2.Response) -> None:
        raw = httpx2.Response(response.status_code, headers=response.headers, stream=response.stream)
        response.stream = _BoundedBody(raw, name, most)
        response.headers.pop("Content-Encoding", None)  # `_BoundedBody` unpacks the stream

    return httpx2.AsyncClient(headers=sent, event_hooks={"response": [limit]}, **options)


async def body_pieces(response: httpx2.Response, most: int) -> AsyncGenerator[bytes, None]:
    """Yields the unpacked body of `response` piece by piece, at most `most` bytes in all.

    Raises `AnswerTooLongError` if the body is longer, and `UnreadableBodyError` if it cannot be unpacked.
    """
    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip"):
        raise UnreadableBodyError(f"it is packed as {safe_text(coding, 40)}, which the request did not allow")
    gzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in coding else None
    sent = unpacked = 0
    async with aclosing(response.aiter_raw()) as chunks:
        async for chunk in chunks:
            sent += len(chunk)
            try:  # unpacks one byte beyond the limit at most, since a small chunk may hold much
                piece = gzip.decompress(chunk, most + 1 - unpacked) if gzip else chunk
            except zlib.error as error:
                raise UnreadableBodyError(f"its gzip data is damaged ({error})") from None
            left = most - unpacked
            unpacked += len(piece)
            if piece:
                yield piece[:left]
            if max(sent, unpacked) > most:
                raise AnswerTooLongError(f"it has more than {most / 1_000_000:g} MB")
    if gzip and sent and (not gzip.eof or gzip.unused_data.strip(b"\0")):
        raise UnreadableBodyError("its gzip data ends too early or goes on after its end")


class _BoundedBody(httpx2.AsyncByteStream):
    def __init__(self, response: httpx2.Response, name: str, most: int) -> None:
        self._response, self._name, self._most = response, name, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async with aclosing(body_pieces(self._response, self._most)) as body:
                async for piece in body:
                    yield piece
        except UnreadableBodyError as error:
            unreadable = f"{self._name} sent an answer that cannot be read: {error}"
            raise CallFailure("refused", unreadable) from None

    async def aclose(self) -> None:
        await self._response.aclose()
