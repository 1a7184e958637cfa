"""Several things at once, of which none goes on when one has failed."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def together(*calls: Coroutine[Any, Any, Result]) -> list[Result]:
    """Their results, in order. Raises what the first that failed raised, once the others are cancelled.

    `asyncio.gather` leaves them running: what they ask for would be paid for and thrown away.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
