"""Runs several coroutines at once; if one fails, cancels the others."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

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
