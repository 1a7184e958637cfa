"""A coroutine in a task of its own."""

import asyncio

import anyio
import pytest

from rarr.tools.concurrency.own_task import in_own_task


async def failing() -> None:
    raise OSError("down")


async def test_its_result_and_its_error_are_those_of_the_coroutine() -> None:
    assert await in_own_task(asyncio.sleep(0, 3)) == 3
    with pytest.raises(OSError, match="down"):
        await in_own_task(failing())


async def test_a_scope_of_anyio_cancels_it_once_and_lets_it_end_in_order() -> None:
    ended = asyncio.Event()

    async def ending_in_order() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            for _ in range(3):
                await asyncio.sleep(0)  # a second cancel would be raised here
            ended.set()
            raise

    with anyio.CancelScope() as scope:
        asyncio.get_running_loop().call_soon(scope.cancel)
        await in_own_task(ending_in_order())
    await asyncio.wait_for(ended.wait(), 5)
