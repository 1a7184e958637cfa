"""A coroutine with a deadline: its result, its error, or None."""

import asyncio

import pytest

from rarr.tools.concurrency.deadlines import by_deadline


async def ready(value: int) -> int:
    return value


async def failing() -> int:
    raise OSError("down")


@pytest.mark.parametrize("seconds", [None, 600.0])
async def test_result_in_time_is_returned(seconds: float | None) -> None:
    assert await by_deadline(ready(3), seconds) == 3


@pytest.mark.parametrize("seconds", [None, 600.0])
async def test_error_in_time_is_raised(seconds: float | None) -> None:
    with pytest.raises(OSError, match="down"):
        await by_deadline(failing(), seconds)


async def test_late_coroutine_is_cancelled_and_not_waited_for() -> None:
    order: list[str] = []
    ended = asyncio.Event()

    async def late() -> bool:
        try:
            return await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            order.append("ended")
            ended.set()

    assert await by_deadline(late(), 0.01) is None
    order.append("returned")
    await ended.wait()
    assert order == ["returned", "ended"]


async def test_error_after_the_deadline_is_told_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    ended = asyncio.Event()

    async def late() -> bool:
        try:
            return await asyncio.Event().wait()
        finally:
            ended.set()
            raise OSError("down")

    assert await by_deadline(late(), 0.01) is None
    await ended.wait()
    await asyncio.sleep(0)
    assert caplog.records == []


async def test_cancelled_caller_cancels_the_coroutine() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def late() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    call = asyncio.create_task(by_deadline(late(), 600))
    await begun.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await cancelled.wait()
