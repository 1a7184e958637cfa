"""Coroutines that run for callers without an event loop, and for those inside a running one."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar

import pytest

from rarr.errors import InputError
from rarr.tools.concurrency import background_loop
from rarr.tools.concurrency.background_loop import run

PLACE: ContextVar[str] = ContextVar("place", default="nowhere")


async def doubled(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def loop_of() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_runs_without_an_event_loop() -> None:
    assert run(doubled(21)) == 42


async def test_runs_inside_a_running_event_loop() -> None:
    assert run(doubled(21)) == 42


def test_calls_share_one_background_loop() -> None:
    assert run(loop_of()) is run(loop_of())


async def test_background_loop_is_not_the_callers_loop() -> None:
    assert run(loop_of()) is not asyncio.get_running_loop()


def test_runs_for_several_threads_at_once() -> None:
    both = threading.Barrier(2, timeout=5)
    results: list[int] = []

    async def meet(number: int) -> int:
        await asyncio.to_thread(both.wait)
        return number

    threads = [threading.Thread(target=lambda n=n: results.append(run(meet(n)))) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 1]


def test_context_variables_of_the_caller_are_visible() -> None:
    async def place() -> str:
        return PLACE.get()

    token = PLACE.set("here")
    assert run(place()) == "here"
    PLACE.reset(token)


def test_exceptions_reach_the_caller() -> None:
    async def fail() -> None:
        raise LookupError("not here")

    with pytest.raises(LookupError, match="not here"):
        run(fail())


def test_interrupt_cancels_the_coroutine() -> None:
    ended = threading.Event()

    async def interrupted() -> None:
        try:
            await asyncio.sleep(0.05)  # until the caller waits
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(5)
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        run(interrupted())
    assert ended.wait(2)


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


def test_interrupt_is_raised_after_the_cancelled_coroutine_has_ended() -> None:
    ended: list[str] = []

    async def then() -> None:
        await asyncio.sleep(0.05)
        ended.append("ended")

    with pytest.raises(KeyboardInterrupt):
        run(interrupting(then))
    assert ended == ["ended"]


def test_interrupt_stops_waiting_for_a_coroutine_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_loop, "ENDING_S", 0.01)
    released = threading.Event()

    async def then() -> None:
        await asyncio.to_thread(released.wait, 5)

    with pytest.raises(KeyboardInterrupt):
        run(interrupting(then))
    released.set()
    assert run(doubled(21)) == 42


@pytest.mark.slow
def test_failure_during_an_interrupt_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def then() -> None:
        raise RuntimeError("closed")

    with pytest.raises(KeyboardInterrupt):
        run(interrupting(then))
    gc.collect()
    assert caplog.text == ""


def test_run_inside_the_background_loop_is_refused() -> None:
    async def within() -> int:
        return run(doubled(21))

    with pytest.raises(InputError, match="await arevise instead"):
        run(within())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of forks with threads, from 3.12
def test_runs_after_a_fork() -> None:
    run(doubled(1))
    child = os.fork()
    if child == 0:
        os._exit(run(doubled(21)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42


@pytest.mark.slow
def test_system_exit_in_the_loop_reaches_the_caller() -> None:
    program = """
from rarr.tools.concurrency.background_loop import run
async def exits(): raise SystemExit(5)
async def answers(): return 42
try: run(exits())
except SystemExit: print(run(answers()))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "42"
