"""Text from other people's bytes, which may be made so that reading them never ends: read in processes."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from rarr.retrievers.extract.documents import MEGABYTE
from rarr.retrievers.extract.pool import Call, end_idle
from rarr.retrievers.extract.worker_main import Limits

PAGE = Limits(seconds=20, megabytes=600)
"""For one page from the web: a megabyte of HTML takes about 2 s and 100 MB."""
FILE = Limits(seconds=60, megabytes=1000)
"""For one file of the user, and `MORE` for each megabyte that it holds."""
MORE = Limits(seconds=30, megabytes=20)

Result = TypeVar("Result")


async def extracted(function: Callable[..., Result], *args: object) -> Result:
    """`function(*args)`, made in a process within the limits `PAGE`. Raises `UnreadableError`.

    A call that is cancelled is ended at once.
    """
    call = Call(function, *args, limits=PAGE)
    done: Future[Result] = Future()
    done.set_running_or_notify_cancel()
    threading.Thread(target=_settle, args=(call, done), name="rarr-extract", daemon=True).start()
    try:
        return await asyncio.wrap_future(done)
    except asyncio.CancelledError:
        call.stop()
        raise


def extracted_file(function: Callable[..., Result], *args: object, size: int) -> Result:
    """The same of a file of the user that holds `size` bytes, for callers without an event loop."""
    held = size / MEGABYTE
    seconds = round(FILE.seconds + held * MORE.seconds)
    return Call(function, *args, limits=Limits(seconds, round(FILE.megabytes + held * MORE.megabytes)))()


class Processes:
    """What a reviser closes: the processes that have nothing to do."""

    async def aclose(self) -> None:
        """Ends them; others start when they are needed."""
        await asyncio.to_thread(end_idle)


def _settle(call: Call[Result], done: Future[Result]) -> None:
    try:
        done.set_result(call())
    except BaseException as error:
        done.set_exception(error)
