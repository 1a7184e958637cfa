"""Limits how many requests go to one host at once. Waiting does not count towards a request's timeout."""

import asyncio
from asyncio import Semaphore, Timeout
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from rarr.tools.concurrency import PerLoop


class Turns:
    """Lets at most `most` tasks work at once for each key, in each event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._gates: PerLoop[WeakValueDictionary[str, Semaphore]] = PerLoop(WeakValueDictionary)

    @asynccontextmanager
    async def taken(self, key: str, limit: Timeout) -> AsyncIterator[None]:
        """Waits until fewer than `most` tasks work for `key`, and holds the turn during the block.

        The timeout `limit` stops during the wait, which is not the fault of the page.
        """
        gate = self._gates.get().setdefault(key, Semaphore(self._most))
        now = asyncio.get_running_loop().time
        left = (limit.when() or 0.0) - now()
        limit.reschedule(None)
        try:
            await gate.acquire()
        finally:
            limit.reschedule(now() + left)
        try:
            yield
        finally:
            gate.release()
