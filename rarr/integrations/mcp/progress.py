"""Tells the client which node of a run has finished."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from mcp.server.mcpserver import Context

from rarr.agent.step_listener import steps_told_to
from rarr.tools.concurrency import in_own_task

Result = TypeVar("Result")


async def with_progress(ctx: Context[Any, Any], run: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Awaits `run()`, and sends a notification for each of its nodes, in order, before it returns.

    A cancelled call cancels `run()`. The number of nodes is not known before. A client that asked for no
    progress gets none.
    """
    nodes = asyncio.Queue[str | None]()

    async def report() -> None:
        done = 0
        while (node := await nodes.get()) is not None:
            done += 1
            await ctx.report_progress(done, None, node.replace("_", " "))

    reporting = asyncio.create_task(report())
    try:
        with steps_told_to(nodes.put_nowait):
            result = (await in_own_task(run())).result()
        nodes.put_nowait(None)
        await reporting
        return result
    finally:
        reporting.cancel()  # nothing is told of a call that failed or was cancelled
