"""The cache: what is made once, how long it is good for, and who makes it."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rarr.errors import RetrievalError
from rarr.retrievers.web.cache import Cache, CacheEntry
from retrievers.caches import NOW, Clock, Source, never, opened, value_of

MADE_AT = datetime.fromtimestamp(NOW, UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(path: Path, clock: Clock) -> Cache:
    return opened(path, clock=clock)


async def test_expired_answer_is_made_again(cache: Cache, clock: Clock) -> None:
    source = Source()
    for seconds, expected in [(0, b"answer 1"), (60, b"answer 1"), (1, b"answer 2"), (60, b"answer 2")]:
        clock.now += seconds
        assert await value_of(cache.through("search", "q", source)) == expected


async def test_offline_expired_answer_is_served(path: Path, cache: Cache, clock: Clock) -> None:
    await cache.put("search", "q", b"v")
    offline = opened(path, clock=clock, offline=True)
    clock.now += 61
    assert await offline.through("search", "q", never) == CacheEntry(b"v", MADE_AT)


async def test_refresh_always_makes_and_stores(path: Path, cache: Cache) -> None:
    await cache.put("search", "q", b"old")
    refreshing = opened(path, refresh=True)
    source = Source()
    assert await refreshing.get("search", "q") is None
    assert await value_of(refreshing.through("search", "q", source)) == b"answer 1"
    assert await value_of(refreshing.through("search", "q", source)) == b"answer 2"
    assert await value_of(cache.through("search", "q", never)) == b"answer 2"


@pytest.mark.parametrize("refresh", [False, True])
async def test_concurrent_requests_share_one_answer(path: Path, refresh: bool) -> None:
    cache, source = opened(path, refresh=refresh), Source()
    answers = await asyncio.gather(*(cache.through("search", "q", source) for _ in range(50)))
    assert ({answer.value for answer in answers}, source.calls) == ({b"answer 1"}, 1)


async def test_failure_is_shared_and_not_stored(cache: Cache) -> None:
    source = Source(RetrievalError("down"))
    asking = (cache.through("search", "q", source) for _ in range(5))
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    assert ({str(outcome) for outcome in outcomes}, source.calls) == ({"down"}, 1)
    source.fails = None
    assert await value_of(cache.through("search", "q", source)) == b"answer 2"


def asking(cache: Cache, source: Source) -> asyncio.Task[bytes]:
    return asyncio.create_task(value_of(cache.through("search", "q", source)))


async def test_waiting_requests_survive_the_cancelled_first_request(cache: Cache) -> None:
    source = Source()
    first, second, third = (asking(cache, source) for _ in range(3))
    await source.asked.wait()
    first.cancel()
    second.cancel()
    assert await third == b"answer 2"
    assert (first.cancelled(), second.cancelled()) == (True, True)
