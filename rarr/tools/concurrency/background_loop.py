"""Runs coroutines in one event loop on its own thread, for callers without a loop or inside another loop.

The loop lives on, so that connections stay open between calls, which `asyncio.run` would close.
"""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future, wait
from contextlib import suppress
from typing import Any, TypeVar

from rarr.errors import InputError

ENDING_S = 1.0
"""Seconds to wait, after an interrupt, until the cancelled coroutine has ended."""

Result = TypeVar("Result")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Runs `coroutine` in the shared loop and returns its result. Raises `InputError` inside that loop.

    An interrupt of the caller cancels the coroutine. The interrupt is raised when the coroutine has ended, or
    after `ENDING_S` seconds.
    """
    if threading.current_thread() is _thread:  # the loop would wait for itself
        coroutine.close()
        raise InputError("a coroutine of rarr's own event loop cannot call revise: await arevise instead")
    loop, answer, begun = _running(), Future[Result](), list[asyncio.Task[Result]]()

    def begin() -> None:
        begun.append(loop.create_task(coroutine))
        begun[0].add_done_callback(lambda task: _settle(answer, task))

    try:
        loop.call_soon_threadsafe(begin)
        return _awaited(answer)
    except BaseException:
        if not answer.done():
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(lambda: [task.cancel() for task in begun])
                wait([answer], ENDING_S)
        raise


def _settle(answer: "Future[Result]", task: "asyncio.Task[Result]") -> None:
    if task.cancelled():
        answer.set_exception(CancelledError())
    elif error := task.exception():
        answer.set_exception(error)
    else:
        answer.set_result(task.result())


def _awaited(answer: "Future[Result]") -> Result:
    thread = _thread
    while not wait([answer], timeout=1.0).done:
        # A SystemExit in the coroutine ends the loop, and nothing else would report that.
        if not (thread and thread.is_alive()):
            raise SystemExit("the event loop of rarr was ended by a coroutine that ran in it")
    return answer.result()


def _forever(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _running() -> asyncio.AbstractEventLoop:
    global _loop, _thread
    with _lock:
        if _loop is None or _thread is None or not _thread.is_alive():  # a fork has no threads of its parent
            _loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=_forever, args=(_loop,), name="rarr", daemon=True)
            _thread.start()
        return _loop
