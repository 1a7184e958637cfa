"""Reads the body of a request whole, within limits of size and time."""

import asyncio

from starlette.types import Receive

from rarr.serve.refusals import Refusal
from rarr.settings import Settings

_CLOSE = {"Connection": "close"}  # the rest of the body is not read


class ClientGoneError(Exception):
    """The client closed the connection."""


async def read_body(receive: Receive, length: str | None, settings: Settings) -> bytes:
    """Reads the whole body of a request. `length` is the header Content-Length; None without it.

    Raises `Refusal` for a body that is too large or too slow, and `ClientGoneError` if the client leaves.
    """
    most = int(settings.serve_max_body_mb * 1_000_000)
    if length is not None and length.isdecimal() and int(length) > most:
        raise _too_large(settings)
    try:
        async with asyncio.timeout(settings.serve_body_timeout_s):
            return await _read(receive, most, settings)
    except TimeoutError:
        seconds = f"{settings.serve_body_timeout_s:g}"
        raise Refusal(
            408, "slow_body", f"the body took more than {seconds} s: send it at once", headers=_CLOSE
        ) from None


async def _read(receive: Receive, most: int, settings: Settings) -> bytes:
    pieces, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > most:
            raise _too_large(settings)
        if not message.get("more_body", False):
            return b"".join(pieces)


def _too_large(settings: Settings) -> Refusal:
    return Refusal(
        413,
        "body_too_large",
        f"the body has more than {settings.serve_max_body_mb:g} MB: send less, or raise serve_max_body_mb",
        headers=_CLOSE,
    )
