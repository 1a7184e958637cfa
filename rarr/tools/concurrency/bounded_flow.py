"""Works on items of a long or endless stream, several at once, and never reads far ahead."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4
"""With `ordered`: items in hand for each that is worked on. A slow one then keeps others waiting less."""
_END = object()


async def bounded_flow(
    items: Iterable[Item] | AsyncIterable[Item],
    work: Callable[[Item, int], Awaitable[Result]],
    at_once: int,
    *,
    ordered: bool = False,
) -> AsyncGenerator[Result, None]:
    """Yields `work(item, number)` of each item: as they finish, or with `ordered` in the order of the items.

    The numbers count from 1. Works on `at_once` items at the same time. No further item is read while the
    caller does not take results. An error of `work`, or the end of the iteration, cancels what is under way.
    """
    places = asyncio.Semaphore(at_once)
    most = at_once * _AHEAD if ordered else at_once

    async def placed(item: Item, number: int) -> Result:
        async with places:
            return await work(item, number)

    source, count = _next_of(items), 0
    reading: asyncio.Task[object] | None = asyncio.create_task(source())
    working: list[asyncio.Task[Result]] = []  # in the order of the items
    try:
        while reading or working:
            awaited = {reading} if reading and len(working) < most else set()
            await asyncio.wait({*awaited, *working}, return_when=asyncio.FIRST_COMPLETED)
            if reading in awaited and reading.done():
                item = reading.result()
                reading = None if item is _END else asyncio.create_task(source())
                if item is not _END:
                    count += 1
                    working.append(asyncio.create_task(placed(item, count)))  # type: ignore[arg-type]
            while finished := next((task for task in working[: 1 if ordered else None] if task.done()), None):
                working.remove(finished)
                yield finished.result()
    finally:
        left = [task for task in (reading, *working) if task is not None]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


def _next_of(items: Iterable[Item] | AsyncIterable[Item]) -> Callable[[], Coroutine[Any, Any, object]]:
    """Returns a function that reads the next item, or `_END`. Plain iterators are read on a thread."""
    if isinstance(items, AsyncIterable):
        asynchronous = aiter(items)

        async def read() -> object:
            return await anext(asynchronous, _END)

        return read
    plain = iter(items)

    async def read_on_thread() -> object:
        return await asyncio.to_thread(next, plain, _END)

    return read_on_thread
