"""Extracts text in processes with limits, since bytes from others may be made so that reading never ends."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from rarr.retrievers.extract.documents import MEGABYTE
from rarr.retrievers.extract.pool import WorkerCall, end_idle
from rarr.retrievers.extract.worker_main import CallLimits

PAGE = CallLimits(seconds=20, megabytes=600)
"""For one page from the web: a megabyte of HTML takes about 2 s and 100 MB."""
FILE = CallLimits(seconds=60, megabytes=1000)
"""For one file of the user; `MORE` is added for each megabyte that it holds."""
MORE = CallLimits(seconds=30, megabytes=20)

Result = TypeVar("Result")


async def extracted(function: Callable[..., Result], *args: object) -> Result:
    """Runs `function(*args)` in a process within the limits `PAGE`. Raises `UnreadableError`.

    A cancelled call is ended at once.
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
    """The same for a file of the user that holds `size` bytes; for callers without an event loop."""
    megabytes = size / MEGABYTE
    seconds = round(FILE.seconds + megabytes * MORE.seconds)
    memory = round(FILE.megabytes + megabytes * MORE.megabytes)
    return WorkerCall(function, *args, limits=CallLimits(seconds, memory))()


class Processes:
    """The idle worker processes, which a reviser ends when it is closed."""

    async def aclose(self) -> None:
        """Ends them; new ones start when they are needed."""
        await asyncio.to_thread(end_idle)


def _settle(call: WorkerCall[Result], done: Future[Result]) -> None:
    try:
        done.set_result(call())
    except BaseException as error:
        done.set_exception(error)
