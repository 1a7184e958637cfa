"""Runs several coroutines at once; if one fails, cancels the others."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def together(*calls: Coroutine[Any, Any, Result]) -> list[Result]:
    """Runs the calls at once and returns the results in order. If one fails, cancels the others and raises.

    `asyncio.gather` would leave the others running: their requests would be paid for and thrown away.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        # Before Python 3.13, a group that waits for its calls cancels this task, and does not take it back:
        # a timeout or a scope of anyio around would think that somebody else has cancelled the task.
        if sys.version_info < (3, 13) and task and task.cancelling() > before:
            task.uncancel()
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


async def first_alone(
    items: Sequence[Item],
    work: Callable[[Item], Coroutine[Any, Any, Result]],
    on_done: Callable[[int, int], object],
) -> list[Result]:
    """Works on the first item alone, to fail early, and then on all others at once.

    `on_done` is called with the number of finished items and of all items. Raises as `together` does.
    """
    done = 0

    async def counted(item: Item) -> Result:
        nonlocal done
        result = await work(item)
        done += 1
        on_done(done, len(items))
        return result

    return [await counted(items[0]), *await together(*(counted(item) for item in items[1:]))]
