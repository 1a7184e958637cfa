"""Awaits a coroutine in a task of its own, so that a scope of anyio around it cancels it once."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

_ending: set[asyncio.Task[Any]] = set()  # an event loop holds its tasks weakly


async def in_own_task(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Returns the result of `coroutine`. If the caller is cancelled, so is the coroutine.

    A scope of anyio cancels its task again at each await until it has left the scope, so a run of LangGraph
    in that task cannot wait for its nodes, and leaves them at work. The caller does not wait for the end of
    the coroutine.
    """
    task = asyncio.ensure_future(coroutine)
    try:
        await asyncio.wait({task})
    finally:
        if not task.done():
            _ending.add(task)
            task.add_done_callback(_ended)
            task.cancel()
    return task.result()


def _ended(task: "asyncio.Task[Any]") -> None:
    _ending.discard(task)
    if not task.cancelled():
        task.exception()  # else asyncio logs that nobody read it
