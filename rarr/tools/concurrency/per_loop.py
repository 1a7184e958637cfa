"""Makes one object for each event loop, and closes it with the loop."""

import asyncio
import threading
from asyncio import AbstractEventLoop
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

Made = TypeVar("Made")


class PerLoop(Generic[Made]):
    """Makes and holds one object for each event loop: connections and locks cannot be shared among loops."""

    def __init__(
        self, make: Callable[[], Made], close: Callable[[Made], Awaitable[None]] | None = None
    ) -> None:
        """`make` makes the object; `close` is called when the loop ends, or earlier by `aclose`."""
        self._make, self._close = make, close
        self._made: WeakKeyDictionary[AbstractEventLoop, Made] = WeakKeyDictionary()
        self._open: WeakKeyDictionary[AbstractEventLoop, AsyncGenerator[None, None]] = WeakKeyDictionary()
        self._lock = threading.RLock()  # loops run in threads of their own

    def get(self) -> Made:
        """Returns the object of the running loop, made at the first call."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [loop for loop in self._made if loop.is_closed()]:  # an object may refer to its loop
                del self._made[ended]
                self._open.pop(ended, None)
            if loop not in self._made:
                self._made[loop] = self._make()
                if self._close is not None:
                    self._open[loop] = _until_closed(self._made[loop], self._close)
            return self._made[loop]

    def pop(self) -> Made | None:
        """Forgets and returns the object of the running loop; None where there is none."""
        with self._lock:
            return self._made.pop(asyncio.get_running_loop(), None)

    async def aclose(self) -> None:
        """Closes and forgets the object of the running loop, where there is one."""
        with self._lock:
            self._made.pop(asyncio.get_running_loop(), None)
            closing = self._open.pop(asyncio.get_running_loop(), None)
        if closing is not None:
            await closing.aclose()


def _until_closed(made: Made, close: Callable[[Made], Awaitable[None]]) -> AsyncGenerator[None, None]:
    """Starts a generator that calls `close(made)` when it is closed: an event loop closes its generators."""

    async def generator() -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            await close(made)

    begun = generator()
    with suppress(StopIteration):  # it reaches its yield without waiting
        begun.asend(None).send(None)
    return begun
