"""Threads, event loops, deadlines and streams: no job waits forever, is lost, or continues unseen."""

import asyncio
import gc
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError

import pytest

from rarr.errors import InputError
from rarr.tools import concurrency
from rarr.tools.concurrency import by_deadline, for_each, meanwhile, run, together


async def fail(*_: int) -> int:
    raise OSError("down")


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def wait_long(cancelled: asyncio.Event) -> int:
    try:
        return await asyncio.sleep(60, 0)
    finally:
        cancelled.set()


async def test_cancelled_thread_ends_at_its_next_check() -> None:
    begun, released, ended = threading.Event(), threading.Event(), threading.Event()

    def compute() -> None:
        begun.set()
        released.wait(5)
        try:
            concurrency.require_awaited()
        except CancelledError:
            ended.set()

    computing = asyncio.ensure_future(concurrency.in_thread(compute))
    await asyncio.to_thread(begun.wait, 5)
    computing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await computing
    released.set()
    assert await asyncio.to_thread(ended.wait, 5)
    await concurrency.in_thread(concurrency.require_awaited)


async def test_computation_on_a_thread_that_stops_an_iteration_reaches_its_caller() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(concurrency.in_thread(next, iter(())), 5)


async def test_together_returns_all_results_or_cancels_all_calls() -> None:
    assert await together(asyncio.sleep(0.02, 2), asyncio.sleep(0.01, 1)) == [2, 1]
    cancelled, task = asyncio.Event(), asyncio.current_task()
    with pytest.raises(OSError, match="down"):
        await together(wait_long(cancelled), fail())
    assert (cancelled.is_set(), task and task.cancelling()) == (True, 0)


async def test_what_is_done_meanwhile_ends_with_the_block() -> None:
    cancelled, ended = asyncio.Event(), asyncio.Event()

    async def seven() -> int:
        ended.set()
        return 7

    late = meanwhile(0, wait_long, cancelled)
    async with meanwhile(0, seven) as done, meanwhile(0, fail) as failed, late as nothing:
        await ended.wait()
        await asyncio.sleep(0.01)
    async with meanwhile(60, seven) as never:
        pass
    assert (done, nothing, failed, never) == ([7], [], [], [])
    assert cancelled.is_set()


async def test_every_item_is_worked_on_and_none_is_read_before_its_place_is_free() -> None:
    items, going = iter(range(100)), asyncio.Event()

    async def waiting(item: int) -> int:
        await going.wait()
        return await double(item)

    work = asyncio.create_task(for_each(items, waiting, 3))
    await asyncio.sleep(0.05)
    assert (taken := next(items)) <= 3
    going.set()
    assert sum(await work) == 2 * sum(range(100)) - 2 * taken


async def test_an_error_of_the_work_or_of_the_items_cancels_what_is_under_way() -> None:
    cancelled = asyncio.Event()

    def torn() -> Iterator[int]:
        yield 5
        raise ValueError("torn")

    def half(item: int) -> Coroutine[None, None, int]:
        return fail() if item else wait_long(cancelled)

    with pytest.raises(OSError, match="down"):
        await for_each(range(2), half, 2)
    assert cancelled.is_set()
    with pytest.raises(ValueError, match="torn"):
        await for_each(torn(), double, 2)


async def test_late_coroutine_is_cancelled_and_not_awaited(caplog: pytest.LogCaptureFixture) -> None:
    order, ended = list[str](), asyncio.Event()

    async def late() -> bool:
        try:
            return await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            order.append("ended")
            ended.set()
            raise OSError("down")

    assert [await by_deadline(asyncio.sleep(0, 3), seconds) for seconds in (None, 600.0)] == [3, 3]
    with pytest.raises(OSError, match="down"):
        await by_deadline(fail(), 600.0)
    assert await by_deadline(late(), 0.01) is None
    order.append("returned")
    await ended.wait()
    await asyncio.sleep(0)
    gc.collect()
    assert (order, caplog.records) == (["returned", "ended"], [])


async def test_run_works_inside_a_running_loop_in_one_shared_loop_of_its_own() -> None:
    async def called(function: Callable[[], object]) -> object:
        return function()

    shared = run(called(asyncio.get_running_loop))
    assert shared is run(called(asyncio.get_running_loop)) is not asyncio.get_running_loop()
    with pytest.raises(OSError, match="down"):
        run(fail())
    with pytest.raises(InputError, match="await arevise instead"):
        run(called(lambda: run(double(21))))


@pytest.mark.parametrize("is_endless", [False, True])
def test_interrupt_is_raised_when_the_cancelled_coroutine_has_ended_or_takes_too_long(
    is_endless: bool, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency, "ENDING_S", 0.01 if is_endless else 5.0)
    released, ended = threading.Event(), list[str]()

    async def interrupting() -> None:
        try:
            await asyncio.sleep(0.05)  # until the caller waits
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(5)
        finally:
            await asyncio.to_thread(released.wait, 5 if is_endless else 0.05)
            ended.append("ended")
            raise RuntimeError("closed")

    with pytest.raises(KeyboardInterrupt):
        run(interrupting())
    assert ended == ([] if is_endless else ["ended"])
    released.set()
    assert run(double(21)) == 42
    gc.collect()
    assert caplog.text == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of forks with threads, from 3.12
def test_run_works_after_a_fork() -> None:
    run(double(1))
    child = os.fork()
    if child == 0:
        os._exit(run(double(21)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
