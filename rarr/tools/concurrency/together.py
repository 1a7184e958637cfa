"""Several calls at once; if one fails, the others are cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def together(*calls: Coroutine[Any, Any, Result]) -> list[Result]:
    """Run the calls at once; results in order. If one fails, cancel the others and raise its error.

    `asyncio.gather` leaves the others running: their requests would be paid for and thrown away.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
