"""Makes one result for each key, for coroutines that ask at the same time."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class MadeOnce(Generic[Key, Result]):
    """Awaits `make(key)` once for each key, and holds its result. It belongs to one event loop.

    A caller that asks while another one waits for the same key waits too. Errors are not held.
    """

    def __init__(self, make: Callable[[Key], Awaitable[Result]]) -> None:
        self._make = make
        self._made: dict[Key, Result] = {}
        self._turns: defaultdict[Key, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def __call__(self, key: Key) -> Result:
        """Returns the result for `key`; makes it if there is none yet."""
        async with self._turns[key]:
            if key not in self._made:
                self._made[key] = await self._make(key)
            return self._made[key]
