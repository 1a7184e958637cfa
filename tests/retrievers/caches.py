"""A cache whose clock the test moves, and what it asks."""

import asyncio
import math
import sqlite3
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from rarr.retrievers.web.cache import Cache, CacheEntry

AGES = {"search": 60.0, "page": 3600.0, "score": math.inf}
NOW = 1_790_000_000.0


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


class Source:
    """Makes an answer that counts its calls."""

    def __init__(self, fails: Exception | None = None) -> None:
        self.calls, self.fails = 0, fails
        self.asked = asyncio.Event()

    async def __call__(self) -> bytes:
        self.calls += 1
        self.asked.set()
        await asyncio.sleep(0.01)
        if self.fails is not None:
            raise self.fails
        return f"answer {self.calls}".encode()


async def never() -> bytes:
    raise AssertionError("it was to come from the cache")


def opened(path: Path, **options: Any) -> Cache:
    """The cache, as another process would open it; `options` win."""
    return Cache(path, **{"max_age_s": AGES, "clock": Clock(), **options})


async def value_of(awaited: Awaitable[CacheEntry]) -> bytes:
    return (await awaited).value


def in_file(path: Path, query: str) -> Any:
    """The first value of the query's first row."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchone()[0]
    finally:
        connection.close()
