"""Limits how many requests are under way at once: to the setting `concurrency`, and lower on a slow server.

A server that answers one request at a time keeps the others waiting, and each would run into its timeout. The
number falls when an answer takes too long, and rises with answers in time, like TCP's window (Jacobson 1988):
fast up to half of the number that was too high, and from there by one a round.
"""

import time
from asyncio import Semaphore
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from rarr.tools.concurrency import PerLoop
from rarr.tools.models.chat import CallFailure

FIRST_SLOW = 4  # requests at once, at most, after the first slow answer


class Limiter:
    """Lets at most `most` requests run at once in an event loop, for all texts, branches and models together.

    After an answer that took longer than `slow_s` seconds, a timeout or a busy server, fewer run at once;
    after enough fast answers, more again. With `slow_s` None, the number stays.
    """

    def __init__(self, most: int, slow_s: float | None = None) -> None:
        self._places = PerLoop(lambda: _Places(most, slow_s))

    def __call__(self) -> AbstractAsyncContextManager[None]:
        """Returns a context manager that waits until a request may start, and holds its slot."""
        return self._places.get().place()


class _Places:
    """The request slots of one event loop. When their number falls, `owed` slots in use are not returned."""

    def __init__(self, most: int, slow_s: float | None) -> None:
        self._most, self._slow_s = most, slow_s
        self._size, self._owed, self._fell_at = most, 0, 0.0
        self._fast_to, self._in_time = most, 0
        self._places = Semaphore(most)

    @asynccontextmanager
    async def place(self) -> AsyncGenerator[None, None]:
        """Waits for a slot and holds it; raises or lowers the number of slots by the time of the request."""
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
        """Halves the number of slots, once for all requests that were under way at the last fall.

        The first fall goes to at most `FIRST_SLOW`. Does nothing without `slow_s`.
        """
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
