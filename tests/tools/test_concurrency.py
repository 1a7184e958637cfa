"""Threads, event loops, deadlines and streams: nothing waits for ever, is lost, or goes on unseen."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import aclosing

import anyio
import pytest

from rarr.errors import InputError
from rarr.tools import concurrency
from rarr.tools.concurrency import (
    CORES,
    PerLoop,
    before_end,
    bounded_flow,
    by_deadline,
    call_all,
    in_order,
    in_own_task,
    in_thread,
    infer,
    require_awaited,
    result_of,
    run,
    side_by_side,
    together,
    work,
)


async def failing() -> int:
    raise OSError("down")


async def later(value: int, done: list[int]) -> int:
    await asyncio.sleep(0.01 * value)
    done.append(value)
    return value


async def test_models_and_rules_run_on_one_thread_each() -> None:
    meeting = threading.Barrier(2, timeout=5)
    assert sorted(await asyncio.gather(work(meeting.wait), infer(meeting.wait))) == [0, 1]
    for pool in (work, infer):
        assert len(set(await asyncio.gather(*(pool(threading.get_ident) for _ in range(9))))) == 1


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
async def test_stop_iteration_is_an_error_and_no_endless_wait(
    call: Callable[..., Awaitable[object]],
) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(call(next, iter([])), 5)


async def test_cancelled_thread_ends_at_its_next_check() -> None:
    begun, released, ended, computed = threading.Event(), threading.Event(), threading.Event(), list[int]()

    def slow(number: int) -> None:
        computed.append(number)
        begun.set()
        released.wait(5)

    def compute() -> None:
        try:
            side_by_side(slow, range(100))
        except CancelledError:
            ended.set()

    computing = asyncio.ensure_future(in_thread(compute))
    await asyncio.to_thread(begun.wait, 5)
    computing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await computing
    released.set()
    assert await asyncio.to_thread(ended.wait, 5)
    assert len(computed) <= CORES
    await in_thread(require_awaited)


async def test_traces_are_written_in_order_despite_a_cancelled_waiter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    monkeypatch.setitem(concurrency._pools, "traces", ended)
    assert await result_of(in_order(int, "3")) == 3


async def test_together_returns_all_results_or_cancels_all_calls() -> None:
    assert await together(later(2, []), later(1, [])) == [2, 1]
    done: list[int] = []
    with pytest.raises(OSError, match="down"):
        await together(later(2, done), failing())
    await asyncio.sleep(0.05)
    task = asyncio.current_task()
    assert (done, task and task.cancelling()) == ([], 0)


async def squared(item: int, number: int) -> int:
    await asyncio.sleep(0)
    return item * item


async def test_flow_gives_every_result_and_reads_nothing_ahead_of_a_caller_who_waits() -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            read.append(item)
            yield item

    async with aclosing(bounded_flow(items(), squared, 2)) as flow:
        await anext(flow)
        await asyncio.sleep(0.05)
        assert len(read) <= 4
    results = [result async for result in bounded_flow(items(), squared, 3)]
    assert sorted(results) == [n * n for n in range(100)]


async def test_only_so_many_items_are_worked_on_at_once() -> None:
    under_way, most = 0, 0

    async def counted(item: int, number: int) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        under_way -= 1

    assert len([None async for _ in bounded_flow(range(30), counted, 3)]) == 30
    assert most == 3


async def test_an_error_of_the_work_or_of_the_items_ends_the_stream() -> None:
    cancelled = asyncio.Event()

    async def fails_at_one(item: int, number: int) -> None:
        if item == 1:
            raise ValueError("no")
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    def torn() -> Iterator[int]:
        yield 5
        raise ValueError("torn")

    with pytest.raises(ValueError, match="no"):
        _ = [None async for _ in bounded_flow(range(2), fails_at_one, 2)]
    assert cancelled.is_set()
    with pytest.raises(ValueError, match="torn"):
        _ = [None async for _ in bounded_flow(torn(), squared, 2)]


async def test_late_coroutine_is_cancelled_not_awaited_and_its_error_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    order: list[str] = []
    ended = asyncio.Event()

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
        await by_deadline(failing(), 600.0)
    assert await by_deadline(late(), 0.01) is None
    order.append("returned")
    await ended.wait()
    await asyncio.sleep(0)
    gc.collect()
    assert (order, caplog.records) == (["returned", "ended"], [])


async def test_a_scope_of_anyio_cancels_the_coroutine_once_and_lets_it_end_in_order() -> None:
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


async def doubled(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def loop_of() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


async def test_run_works_inside_a_running_loop_in_one_shared_loop_of_its_own() -> None:
    assert run(doubled(21)) == 42
    assert run(loop_of()) is run(loop_of()) is not asyncio.get_running_loop()
    with pytest.raises(OSError, match="down"):
        run(failing())

    async def within() -> int:
        return run(doubled(21))

    with pytest.raises(InputError, match="await arevise instead"):
        run(within())


def interrupting(then: Callable[[], Awaitable[None]]) -> Coroutine[None, None, None]:
    """Interrupts the caller, and does `then` once it is cancelled."""

    async def interrupted() -> None:
        try:
            await asyncio.sleep(0.05)  # until the caller waits
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(5)
        finally:
            await then()

    return interrupted()


def test_interrupt_is_raised_after_the_cancelled_coroutine_has_ended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended: list[str] = []

    async def then() -> None:
        await asyncio.sleep(0.05)
        ended.append("ended")
        raise RuntimeError("closed")

    with pytest.raises(KeyboardInterrupt):
        run(interrupting(then))
    gc.collect()
    assert (ended, caplog.text) == (["ended"], "")


def test_interrupt_stops_waiting_for_a_coroutine_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "ENDING_S", 0.01)
    released = threading.Event()

    async def then() -> None:
        await asyncio.to_thread(released.wait, 5)

    with pytest.raises(KeyboardInterrupt):
        run(interrupting(then))
    released.set()
    assert run(doubled(21)) == 42


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of forks with threads, from 3.12
def test_run_works_after_a_fork() -> None:
    run(doubled(1))
    child = os.fork()
    if child == 0:
        os._exit(run(doubled(21)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42


@pytest.mark.slow
def test_system_exit_in_the_loop_reaches_the_caller() -> None:
    program = """
from rarr.tools.concurrency import run
async def exits(): raise SystemExit(5)
async def answers(): return 42
try: run(exits())
except SystemExit as end: print(end.code, run(answers()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "5 42"


def test_each_event_loop_has_its_object_and_ended_loops_leave_nothing_behind() -> None:
    made = PerLoop(asyncio.get_running_loop)  # what holds its loop

    async def is_own() -> bool:
        return made.get() is made.get() is asyncio.get_running_loop()

    def loops(_: int) -> list[bool]:
        return [asyncio.run(is_own()) for _ in range(5)]

    with ThreadPoolExecutor(4) as pool:
        assert all(own for each in pool.map(loops, range(4)) for own in each)
    asyncio.run(is_own())
    assert len(made._made) <= 1


def raises(error: Exception) -> Callable[[], object]:
    def call() -> object:
        raise error

    return call


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left"), ValueError("two\nlines\x1b[2J"), RuntimeError("x" * 9999)]
)
def test_failing_action_before_the_end_prints_one_line_and_the_others_run(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[str] = []
    first, last = (lambda: called.append("first")), (lambda: called.append("last"))
    with before_end(first), before_end(raises(error)), before_end(last):
        call_all()
    printed = capsys.readouterr().err
    assert called == ["last", "first"]
    assert printed.startswith(f"rarr: not everything could be written ({type(error).__name__}: ")
    assert (printed.count("\n"), "\x1b" in printed, len(printed) < 400) == (1, False, True)
