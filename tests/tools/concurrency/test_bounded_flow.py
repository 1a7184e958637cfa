"""Items of a stream are worked on several at once, and never read far ahead."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

import pytest

from rarr.tools.concurrency.bounded_flow import bounded_flow


async def squared(item: int, number: int) -> int:
    await asyncio.sleep(0)
    return item * item


async def test_every_item_gives_a_result() -> None:
    assert sorted([result async for result in bounded_flow(range(20), squared, 3)]) == [
        n * n for n in range(20)
    ]


async def test_asynchronous_items_are_taken_too() -> None:
    async def items() -> AsyncIterator[int]:
        for item in (1, 2, 3):
            yield item

    assert sorted([result async for result in bounded_flow(items(), squared, 2)]) == [1, 4, 9]


async def test_results_come_in_order_on_request() -> None:
    gates = [asyncio.Event() for _ in range(4)]

    async def gated(item: int, number: int) -> int:
        await gates[item].wait()
        return item

    flow = bounded_flow(range(4), gated, 4, ordered=True)
    first = asyncio.ensure_future(anext(flow))
    for gate in reversed(gates):
        gate.set()
        await asyncio.sleep(0)
    assert [await first, *[result async for result in flow]] == [0, 1, 2, 3]


@pytest.mark.parametrize(("ordered", "most"), [(False, 4), (True, 9)])
async def test_no_item_is_read_ahead_of_a_caller_who_waits(*, ordered: bool, most: int) -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            read.append(item)
            yield item

    async with aclosing(bounded_flow(items(), squared, 2, ordered=ordered)) as flow:
        await anext(flow)
        for _ in range(50):
            await asyncio.sleep(0.001)
        assert len(read) <= most


async def test_only_so_many_items_are_worked_on_at_once() -> None:
    under_way, most = 0, 0

    async def counted(item: int, number: int) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        under_way -= 1

    assert len([None async for _ in bounded_flow(range(30), counted, 3, ordered=True)]) == 30
    assert most == 3


async def test_an_error_cancels_what_is_under_way() -> None:
    cancelled = asyncio.Event()

    async def failing(item: int, number: int) -> None:
        if item == 1:
            raise ValueError("no")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(ValueError, match="no"):
        async for _ in bounded_flow(range(2), failing, 2):
            pass
    assert cancelled.is_set()
