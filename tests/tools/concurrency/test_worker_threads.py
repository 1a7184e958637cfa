"""The threads that compute: beside the event loop and beside each other."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError

import pytest

from rarr.tools.concurrency import worker_threads
from rarr.tools.concurrency.worker_threads import (
    CORES,
    encode,
    in_order,
    in_thread,
    infer,
    require_awaited,
    result_of,
    side_by_side,
    work,
)


async def test_models_and_rules_run_in_separate_threads() -> None:
    meeting = threading.Barrier(2, timeout=5)
    assert sorted(await asyncio.gather(work(meeting.wait), infer(meeting.wait))) == [0, 1]


async def test_models_compute_one_after_another() -> None:
    threads = await asyncio.gather(*(infer(threading.get_ident) for _ in range(20)))
    assert len(set(threads)) == 1


async def test_work_cancelled_while_waiting_never_runs() -> None:
    ran: list[int] = []
    first = asyncio.ensure_future(infer(time.sleep, 0.05))
    second = asyncio.ensure_future(infer(ran.append, 1))
    await asyncio.sleep(0)
    second.cancel()
    await first
    await infer(int)
    assert ran == []


@pytest.mark.parametrize("call", [work, in_thread])
async def test_missing_item_is_an_error_and_no_endless_wait(call: Callable[..., Awaitable[object]]) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(call(next, iter([])), 5)


def test_side_by_side_is_parallel_and_keeps_the_order() -> None:
    meeting = threading.Barrier(min(2, CORES), timeout=5)

    def met(number: int) -> int:
        meeting.wait()
        return number

    assert side_by_side(met, range(2)) == [0, 1]
    assert side_by_side(met, []) == []


async def test_interrupted_encoder_computes_no_further_sequence() -> None:
    begun, released, computed = threading.Event(), threading.Event(), list[int]()

    def slow(number: int) -> int:
        computed.append(number)
        begun.set()
        released.wait(5)
        return number

    many = range(100)
    encoding = asyncio.ensure_future(encode(side_by_side, slow, many))
    await asyncio.to_thread(begun.wait, 5)
    encoding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await encoding
    released.set()
    for _ in range(2 * CORES):  # until all threads of both pools are idle
        await encode(side_by_side, abs, [1, 2])
    assert len(computed) <= CORES


async def test_cancelled_thread_ends_at_its_next_check() -> None:
    begun, released, ended = threading.Event(), threading.Event(), threading.Event()

    def compute() -> None:
        try:
            begun.set()
            released.wait(5)
            require_awaited()
        except CancelledError:
            ended.set()

    computing = asyncio.ensure_future(in_thread(compute))
    await asyncio.to_thread(begun.wait, 5)
    computing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await computing
    released.set()
    assert ended.wait(5)


async def test_awaited_thread_passes_the_check() -> None:
    await in_thread(require_awaited)
    require_awaited()  # who was called otherwise is awaited, too


async def test_traces_are_written_in_order_despite_a_cancelled_waiter() -> None:
    ran: list[int] = []
    free = threading.Event()
    in_order(free.wait, 10)
    waiting = [asyncio.ensure_future(result_of(in_order(ran.append, number))) for number in range(3)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    free.set()
    await asyncio.gather(*waiting, return_exceptions=True)
    await result_of(in_order(int))
    assert (ran, waiting[1].cancelled()) == ([0, 1, 2], True)


async def test_traces_are_written_after_their_thread_pool_has_shut_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = worker_threads._threads("ended", 1)
    ended.shutdown()
    monkeypatch.setitem(worker_threads._pools, "traces", ended)
    assert await result_of(in_order(int, "3")) == 3
