"""Runs several coroutines at once; if one fails, cancels the others."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def together(*calls: Coroutine[Any, Any, Result]) -> list[Result]:
    """Runs the calls at once and returns the results in order. If one fails, cancels the others and raises.

    `asyncio.gather` would leave the others running: their requests would be paid for and thrown away.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
