"""Reads items that may stay away for ever, such as the lines of a pipe, without keeping the process alive."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

Item = TypeVar("Item")

_END: Any = object()


async def on_daemon_thread(items: Iterable[Item]) -> AsyncGenerator[Item, None]:
    """Yields the items. Each is read on a daemon thread when it is asked for.

    Python waits at its end for the threads of `asyncio.to_thread`, and not for this one.
    """
    asked = SimpleQueue["Future[Item] | None"]()
    threading.Thread(target=_answer, args=(iter(items), asked), name="rarr-reader", daemon=True).start()
    try:
        while True:
            asked.put(answer := Future[Item]())
            if (item := await asyncio.wrap_future(answer)) is _END:
                return
            yield item
    finally:
        asked.put(None)


def _answer(items: Iterator[Item], asked: "SimpleQueue[Future[Item] | None]") -> None:
    """Reads an item for each future of the queue, until there is None."""
    while (answer := asked.get()) is not None:
        if not answer.set_running_or_notify_cancel():
            continue
        try:
            answer.set_result(next(items, _END))
        except BaseException as error:  # it belongs to who asked
            answer.set_exception(error)
