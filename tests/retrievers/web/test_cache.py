"""The cache: what is made once and for how long, what failures cost, and what many processes do with it."""

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rarr.errors import InputError, RetrievalError
from rarr.retrievers.web import cache as cache_module
from rarr.retrievers.web.cache import Cache, CacheEntry
from rarr.tools.storage import database
from retrievers.caches import AGES, NOW, Clock, Source, in_file, never, opened, value_of

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


def change(path: Path, script: str) -> None:
    other = sqlite3.connect(path)
    other.executescript(script)
    other.close()


@pytest.mark.parametrize("in_use", [False, True])
async def test_read_only_cache_returns_new_answers_without_storing(
    path: Path, in_use: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    writer = opened(path)
    await writer.put("page", "a", b"v")
    if not in_use:
        writer.close()
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    cache = opened(path)
    assert await value_of(cache.through("page", "a", never)) == b"v"
    assert caplog.records == []
    assert await value_of(cache.through("page", "b", Source())) == b"answer 1"
    assert "cannot be written (attempt to write a readonly database)" in caplog.text


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process writes, and does not come to its end."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield
    other.close()


@pytest.mark.slow
async def test_locked_file_is_waited_for_once_and_written_later(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.3)
    cache = opened(path)
    await cache.put("page", "known", b"v")
    started = time.monotonic()
    with locked(path):
        for key in range(40):
            assert await value_of(cache.through("page", key, Source())) == b"answer 1"
        assert await value_of(cache.through("page", "known", never)) == b"v"
    assert time.monotonic() - started < 6  # a wait for each would take 12 s
    [record] = caplog.records
    assert (record.name, record.levelno) == ("rarr", logging.WARNING)
    assert "cannot be written (database is locked)" in record.getMessage()
    cache._rests_until.clear()
    await cache.put("page", 0, b"v")
    assert await cache.get("page", 0)


async def test_full_disk_loses_only_the_new_value(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = opened(path)
    await cache.put("page", "known", b"v")
    with cache._file.used() as sqlite:
        sqlite.execute("PRAGMA max_page_count = 8")  # SQLite says the same of a disk

    async def large() -> bytes:
        return os.urandom(100_000)

    assert len(await value_of(cache.through("page", "a", large))) == 100_000
    assert "(database or disk is full): let it be written, with room on its disk" in caplog.text
    assert await cache.get("page", "a") is None
    assert await cache.get("page", "known")


async def test_values_that_are_long_too_old_are_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "PRUNE_EVERY", 1)
    clock = Clock()
    cache = opened(path, clock=clock)
    await cache.put("page", "old", b"v")
    clock.now += AGES["page"] + cache_module.KEPT_S + 1
    await cache.put("page", "new", b"v")
    assert in_file(path, "SELECT COUNT(*) FROM entries") == 1


async def test_damaged_value_is_replaced_and_others_are_kept(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = opened(path)
    await cache.put("page", "whole", b"v")
    await cache.put("page", "damaged", b"w")
    change(path, "UPDATE entries SET value = x'00' WHERE id = 2;")
    whole, damaged = [await cache.get("page", key) for key in ("whole", "damaged")]
    assert (whole and whole.value, damaged) == (b"v", None)
    assert "a value in it is damaged" in caplog.text
    assert await value_of(cache.through("page", "damaged", Source())) == b"answer 1"
    assert await value_of(cache.through("page", "damaged", never)) == b"answer 1"


@pytest.mark.parametrize("script", ["", "CREATE TABLE entries (mine);"])
def test_file_that_is_no_cache_is_refused_and_stays(path: Path, script: str) -> None:
    if script:
        change(path, script)
    else:
        path.write_bytes(b"no database" * 1000)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"delete it, or give another path|not a cache: give another path"):
        opened(path)
    assert path.read_bytes() == before


CHECK = "PRAGMA integrity_check"
HEAD = """
import asyncio, math, os, sys
from pathlib import Path
from rarr.retrievers.web.cache import Cache

cache, me = Cache(Path(sys.argv[1]), max_age_s={"page": math.inf}), int(sys.argv[2])

def value(key):
    return str(key).encode() * 3000
"""
WORK = """
async def read(key):
    async def make():
        return value(key)
    assert (await cache.through("page", key, make)).value == value(key), key

async def work():
    for start in range(0, 200, 20):
        await asyncio.gather(*(read((start + me * 40 + i) % 200) for i in range(20)))
    answers = [await cache.get("page", number) for number in range(200)]
    assert [answer and answer.value for answer in answers] == [value(key) for key in range(200)]

asyncio.run(work())
"""
FOR_EVER = """
async def work():
    for key in range(10 ** 9):
        for i in range(20):
            await cache.put("page", (key, i), value(key))
        if key == 1:
            print("there", flush=True)

asyncio.run(work())
"""
FORK = """
to_child, to_parent = os.pipe(), os.pipe()
asyncio.run(cache.put("page", "before", b"v"))
pid = os.fork()
if pid == 0:
    assert asyncio.run(cache.get("page", "before"))
    asyncio.run(cache.put("page", "child", b"v"))
    os.write(to_parent[1], b"!")
    os.read(to_child[0], 1)
    asyncio.run(cache.put("page", "child again", b"v"))
    os._exit(0)
os.read(to_parent[0], 1)
cache.close()  # the last one to close a file removes its log, which the child still needs
asyncio.run(cache.put("page", "parent", b"v"))
os.write(to_child[1], b"!")
assert os.waitpid(pid, 0)[1] == 0
assert all(asyncio.run(cache.get("page", key)) for key in ("before", "child", "parent", "child again"))
"""


def started(script: str, path: Path, number: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", HEAD + script, str(path), str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended_well(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.slow
def test_many_processes_write_and_read_at_once(path: Path) -> None:
    for process in [started(WORK, path, number) for number in range(4)]:
        ended_well(process)
    assert in_file(path, CHECK) == "ok"


def kill(process: subprocess.Popen[str]) -> None:
    """In the middle of writing."""
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    time.sleep(0.1)
    process.kill()
    process.communicate()


@pytest.mark.slow
def test_killed_processes_leave_a_usable_file(path: Path) -> None:
    for process in [started(FOR_EVER, path, number) for number in range(2)]:
        kill(process)
    cache = opened(path)
    answers = [asyncio.run(cache.get("page", [1, i])) for i in range(20)]
    assert [answer and answer.value for answer in answers] == [b"1" * 3000] * 20
    asyncio.run(cache.put("page", "after", b"v"))
    assert asyncio.run(cache.get("page", "after"))
    assert in_file(path, CHECK) == "ok"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_and_its_fork_both_use_it(path: Path) -> None:
    ended_well(started(FORK, path))
    assert in_file(path, CHECK) == "ok"
