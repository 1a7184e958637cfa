"""How much a fetcher asks at once, and of whom it asks whether it may."""

import asyncio
from asyncio import StreamWriter

import pytest

from rarr.retrievers.fetch.fetching import Fetcher
from retrievers.fetches import PAGE, PATIENCE_S, SHORT_S, here, make
from retrievers.hostile import Hostile, answer

pytestmark = pytest.mark.loopback


async def slow(writer: StreamWriter) -> None:
    await asyncio.sleep(0.05)
    writer.write(answer(PAGE))


async def all_of(fetcher: Fetcher, urls: list[str]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(fetcher.fetch(url) for url in urls))


@pytest.mark.parametrize("per_host", [1, 2, 5])
async def test_fetches_from_one_host_take_turns(per_host: int) -> None:
    async with Hostile({"/": slow}) as server:
        await all_of(make(per_host=per_host), [server.url()] * 8)
    assert server.most == per_host


async def test_fetches_from_a_slow_host_do_not_delay_others() -> None:
    async def stuck(writer: StreamWriter) -> None:
        await released.wait()
        writer.write(answer(PAGE))

    released = asyncio.Event()
    async with Hostile({"/": answer(PAGE), "/stuck": stuck}) as server:
        fetcher = make(concurrency=3, per_host=2, find=here)
        waiting = asyncio.gather(*(fetcher.fetch(server.url("/stuck", "slow.org")) for _ in range(6)))
        await asyncio.sleep(0.05)
        await all_of(fetcher, [server.url()])
        released.set()
        await waiting


@pytest.mark.slow
async def test_fetch_time_limit_excludes_waiting_for_a_turn() -> None:
    async def pause(writer: StreamWriter) -> None:
        await asyncio.sleep(SHORT_S / 2)
        writer.write(answer(PAGE))

    async with Hostile({"/": pause}) as server:
        await all_of(make(per_host=1, timeout_s=SHORT_S * 2), [server.url()] * 6)


async def test_failed_fetch_releases_its_turn() -> None:
    async with Hostile({"/": answer(PAGE)}) as server:
        fetcher = make(per_host=1, concurrency=1)
        for _ in range(3):
            with pytest.raises(Exception, match="404"):
                await fetcher.fetch(server.url("/none"))
        await all_of(fetcher, [server.url()])


def test_fetcher_works_in_one_event_loop_after_another() -> None:
    async def once() -> None:
        async with Hostile({"/": slow, "/robots.txt": answer(b"")}) as server:
            await all_of(fetcher, [server.url()] * 3)

    fetcher = make(per_host=1, respect_robots=True)
    for _ in range(2):
        asyncio.run(once())
