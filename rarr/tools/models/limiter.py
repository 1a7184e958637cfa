"""How many requests are under way at once: as many as the settings allow, fewer on a server that is slow.

A server that answers one question at a time keeps the others waiting, and each of them would run out of its
time. The number falls where an answer takes too long and rises with those that do not, as TCP's window does
(Jacobson 1988): fast up to half of what was too many, and by one a round from there on.
"""

import time
from asyncio import Semaphore
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from rarr.tools.concurrency.per_loop import PerLoop
from rarr.tools.models.chat import CallFailure

FIRST_SLOW = 4  # requests at once, at most, after the first answer that took too long


class Limiter:
    """At most `most` requests at once, whichever texts, branches and models they are for.

    An answer that takes longer than `slow_s` seconds is too slow; None: none is.
    """

    def __init__(self, most: int, slow_s: float | None = None) -> None:
        self._windows = PerLoop(lambda: _Window(most, slow_s))

    def __call__(self) -> AbstractAsyncContextManager[None]:
        """A place among the requests of the running loop."""
        return self._windows.get().place()


class _Window:
    """The places of one event loop. Of what is taken when the number falls, `owed` are not given back."""

    def __init__(self, most: int, slow_s: float | None) -> None:
        self._most, self._slow_s = most, slow_s
        self._size, self._owed, self._fell_at = most, 0, 0.0
        self._fast_to, self._in_time = most, 0
        self._places = Semaphore(most)

    @asynccontextmanager
    async def place(self) -> AsyncGenerator[None, None]:
        """Waits for a place, and judges by the time of the request how many there are to be."""
        await self._places.acquire()
        began = time.monotonic()
        try:
            yield
        except CallFailure as failure:
            if failure.kind in ("timeout", "busy"):
                self._fall(began)
            raise
        else:
            if self._slow_s is not None and time.monotonic() - began > self._slow_s:
                self._fall(began)
            else:
                self._rise()
        finally:
            self._give_back()

    def _rise(self) -> None:
        self._in_time += 1
        needed = 1 if self._size < self._fast_to else self._size
        if self._size < self._most and self._in_time >= needed:
            self._size, self._in_time = self._size + 1, 0
            self._give_back()

    def _fall(self, began: float) -> None:
        """To half, once for all requests that were under way together; the first time to `FIRST_SLOW`."""
        if self._slow_s is None or began < self._fell_at:
            return
        size = max(1, self._size // 2 if self._fell_at else min(FIRST_SLOW, self._size // 2))
        self._owed += self._size - size
        self._fast_to, self._in_time = max(1, self._size // 2), 0
        self._size, self._fell_at = size, time.monotonic()

    def _give_back(self) -> None:
        if self._owed:
            self._owed -= 1
        else:
            self._places.release()
