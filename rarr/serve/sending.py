"""Sends responses piece by piece, as ASGI messages."""

from collections.abc import Iterable

from starlette.types import Send

from rarr.serve.request_context import Headers


async def start(send: Send, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Sends the head of a response."""
    lower = [(name.lower(), value) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": lower})


async def piece(send: Send, data: bytes) -> None:
    """Sends a part of the body; more follows."""
    if data:
        await send({"type": "http.response.body", "body": data, "more_body": True})


async def end(send: Send, data: bytes = b"") -> None:
    """Sends the end of the body."""
    await send({"type": "http.response.body", "body": data})


def without(headers: Headers, *names: bytes) -> Headers:
    """Returns the headers that have none of these names, which are in lower case."""
    return [(name, value) for name, value in headers if name.lower() not in names]
