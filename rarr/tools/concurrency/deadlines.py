"""Bounds the seconds of a coroutine, also where its end would take longer than its deadline."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

RESERVE_S = 0.05
"""Seconds before the deadline at which the coroutine is cancelled, so that the answer is out in time."""

_ending: set[asyncio.Task[Any]] = set()  # an event loop holds its tasks weakly


async def by_deadline(coroutine: Coroutine[Any, Any, Result], seconds: float | None) -> Result | None:
    """Returns the result of `coroutine`, or None at the deadline, `seconds` from now; None: no deadline.

    A coroutine that is late is cancelled, and so are its waiting jobs on threads. Nobody waits until it has
    ended: it may be waiting for a file, and a job on a thread goes on until its next pause.
    """
    if seconds is None:
        return await coroutine
    task = asyncio.ensure_future(coroutine)
    try:
        await asyncio.wait({task}, timeout=seconds - min(RESERVE_S, seconds / 10))
    finally:
        if not task.done():
            _cancel(task)
    return task.result() if task.done() else None


def _cancel(task: "asyncio.Task[Any]") -> None:
    _ending.add(task)
    task.add_done_callback(_ended)
    task.cancel()


def _ended(task: "asyncio.Task[Any]") -> None:
    _ending.discard(task)
    if not task.cancelled():
        task.exception()  # else asyncio logs that nobody read it
