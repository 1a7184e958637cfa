"""Sends a stream in the order of its items, some of which are still worked on."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import TypeVar

from starlette.types import Send

from rarr.serve import sending
from rarr.serve.server_sent_events import KEEP_ALIVE

Value = TypeVar("Value")
Item = bytes | Callable[[], Awaitable[bytes]]
"""Bytes, or what makes them when their turn has come: what was sent before is known then."""
AHEAD = 256
"""Items that are read ahead of those that were sent, at most."""


class BrokenOffError(Exception):
    """The streamed answer of the server behind this one ended before it was complete."""


async def send_in_order(items: AsyncGenerator[Item, None], send: Send, keep_alive_s: float) -> None:
    """Sends the items of a stream in order, each as soon as its bytes are made.

    A comment keeps the connection open if nothing was sent for `keep_alive_s` seconds. What `items` raises is
    raised after the items before it were sent.
    """
    waiting: asyncio.Queue[Item | Exception | None] = asyncio.Queue(AHEAD)
    reading = asyncio.create_task(_read(items, waiting))
    try:
        while (item := await _next(waiting, send, keep_alive_s)) is not None:
            if isinstance(item, Exception):
                raise item
            made = item if isinstance(item, bytes) else await _kept_alive(item(), send, keep_alive_s)
            await sending.piece(send, made)
    finally:
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading


async def _next(
    waiting: "asyncio.Queue[Item | Exception | None]", send: Send, keep_alive_s: float
) -> Item | Exception | None:
    """Takes the next item. Turns of the loop are long on a busy server, so it waits only if it must."""
    if not waiting.empty():
        return waiting.get_nowait()
    return await _kept_alive(waiting.get(), send, keep_alive_s)


async def _read(items: AsyncGenerator[Item, None], waiting: "asyncio.Queue[Item | Exception | None]") -> None:
    try:
        async with aclosing(items):
            async for item in items:
                await waiting.put(item)
        await waiting.put(None)
    except Exception as error:  # raised by the task that sends, in its turn
        await waiting.put(error)


async def _kept_alive(coming: Awaitable[Value], send: Send, keep_alive_s: float) -> Value:
    task = asyncio.ensure_future(coming)
    try:
        while not (await asyncio.wait({task}, timeout=keep_alive_s))[0]:
            await sending.piece(send, KEEP_ALIVE)
        return task.result()
    finally:
        task.cancel()
