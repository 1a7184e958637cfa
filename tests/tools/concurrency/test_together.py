"""Several things at once: all of them, or none."""

import asyncio

import pytest

from rarr.tools.concurrency.together import together


async def later(value: int, done: list[int]) -> int:
    await asyncio.sleep(0.01 * value)
    done.append(value)
    return value


async def failing() -> int:
    raise OSError("down")


async def test_results_are_in_order() -> None:
    assert await together(later(2, []), later(1, [])) == [2, 1]


async def test_failure_cancels_the_others() -> None:
    done: list[int] = []
    with pytest.raises(OSError, match="down"):
        await together(later(2, done), failing())
    await asyncio.sleep(0.05)
    assert done == []


async def test_failure_leaves_no_request_to_cancel_the_caller() -> None:
    task = asyncio.current_task()
    assert task
    with pytest.raises(OSError, match="down"):
        await together(later(1, []), failing())
    assert task.cancelling() == 0
