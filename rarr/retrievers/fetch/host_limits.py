"""Taking turns, so that nobody is asked too much at once, and time to wait is no time to work."""

import asyncio
from asyncio import Semaphore, Timeout
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from rarr.tools.concurrency.per_loop import PerLoop


class Turns:
    """At most `most` at once for each key, in each event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._gates: PerLoop[WeakValueDictionary[str, Semaphore]] = PerLoop(WeakValueDictionary)

    @asynccontextmanager
    async def taken(self, key: str, limit: Timeout) -> AsyncIterator[None]:
        """One turn. `limit` stands still while it is waited for: others' slowness has its own limits."""
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
