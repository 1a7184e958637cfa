"""Runs functions in worker processes with limits, since hostile bytes can make reading never end."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from rarr.retrievers.extract.extracted_document import MEGABYTE
from rarr.retrievers.extract.pool import WorkerCall, end_idle
from rarr.retrievers.extract.worker_main import CallLimits

PAGE = CallLimits(seconds=20, megabytes=600)
"""The limits for one page from the web: a megabyte of HTML takes about 2 s and 100 MB."""
FILE = CallLimits(seconds=60, megabytes=1000)
"""The limits for one file of the user; `MORE` is added for each megabyte that it holds."""
MORE = CallLimits(seconds=30, megabytes=20)

Result = TypeVar("Result")


async def extracted(function: Callable[..., Result], *args: object) -> Result:
    """Runs `function(*args)` in a worker process, within the time and memory for a page; returns its result.

    Raises `UnreadableError` if the function does or exceeds the limits. A cancelled call ends at once.
    """
    call = WorkerCall(function, *args, limits=PAGE)
    done: Future[Result] = Future()
    done.set_running_or_notify_cancel()
    threading.Thread(target=_settle, args=(call, done), name="rarr-extract", daemon=True).start()
    try:
        return await asyncio.wrap_future(done)
    except asyncio.CancelledError:
        call.stop()
        raise


def extracted_file(function: Callable[..., Result], *args: object, size: int) -> Result:
    """Does what `extracted` does, within limits for a file of `size` bytes, and blocks until it is done."""
    megabytes = size / MEGABYTE
    seconds = round(FILE.seconds + megabytes * MORE.seconds)
    memory = round(FILE.megabytes + megabytes * MORE.megabytes)
    return WorkerCall(function, *args, limits=CallLimits(seconds, memory))()


class Processes:
    """Lets a reviser end the idle worker processes when it is closed."""

    async def aclose(self) -> None:
        """Ends the idle worker processes; new processes start when they are needed."""
        await asyncio.to_thread(end_idle)


def _settle(call: WorkerCall[Result], done: Future[Result]) -> None:
    try:
        done.set_result(call())
    except BaseException as error:
        done.set_exception(error)
