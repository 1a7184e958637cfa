"""One event loop in a thread of its own, for callers without one and for those inside a running one alike.

It stays, so that connections stay open between calls, as those of `asyncio.run` do not.
"""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from rarr.errors import InputError

Result = TypeVar("Result")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Its result; what interrupts the caller cancels it. Raises `InputError` within what it runs itself."""
    if threading.current_thread() is _thread:  # it would wait for itself
        coroutine.close()
        raise InputError("a coroutine that rarr runs cannot wait for another: await arevise instead")
    future = asyncio.run_coroutine_threadsafe(coroutine, _running())
    thread = _thread
    try:
        while True:
            try:
                return future.result(timeout=1.0)
            except TimeoutError:
                # A SystemExit in it ends the loop, and nobody would ever say so.
                if not future.done() and not (thread and thread.is_alive()):
                    raise SystemExit("the event loop of rarr was ended by what ran in it") from None
                if future.done():
                    raise
    except BaseException:
        future.cancel()
        raise


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
