"""The cache: what is made once and for how long, what failures cost, and what many processes do with it."""

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rarr.errors import InputError, RetrievalError
from rarr.retrievers.web import cache as cache_module
from rarr.retrievers.web.cache import KEPT_S, MAX_AGE_S, Cache, CacheEntry
from rarr.tools.storage import database

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


async def value_of(awaited: Awaitable[CacheEntry]) -> bytes:
    return (await awaited).value


def in_file(path: Path, query: str) -> Any:
    """The first value of the query's first row."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchone()[0]
    finally:
        connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(path: Path, clock: Clock) -> Cache:
    return Cache(path, clock=clock)


async def put(cache: Cache, key: Sequence[Any], value: bytes = b"v") -> None:
    async def make() -> bytes:
        return value

    await cache.through("page", key, make)


async def test_expired_answer_is_made_again(cache: Cache, clock: Clock) -> None:
    source = Source()
    for seconds, expected in [(0, b"answer 1"), (MAX_AGE_S, b"answer 1"), (1, b"answer 2")]:
        clock.now += seconds
        assert await value_of(cache.through("search", "q", source)) == expected


async def test_offline_expired_answer_is_served(path: Path, cache: Cache, clock: Clock) -> None:
    await put(cache, "q")
    offline = Cache(path, clock=clock, offline=True)
    clock.now += MAX_AGE_S + 1
    assert await offline.through("page", "q", never) == CacheEntry(b"v", datetime.fromtimestamp(NOW, UTC))
    with pytest.raises(RetrievalError, match=r"not in the cache, and offline: page 'other': run it once"):
        await offline.through("page", ["x", "other"], never)


async def test_refresh_always_makes_and_stores(path: Path, cache: Cache) -> None:
    await put(cache, "q", b"old")
    refreshing, source = Cache(path, refresh=True, clock=Clock()), Source()
    assert await value_of(refreshing.through("page", "q", source)) == b"answer 1"
    assert await value_of(refreshing.through("page", "q", source)) == b"answer 2"
    assert await value_of(cache.through("page", "q", never)) == b"answer 2"


async def test_concurrent_requests_share_one_answer(cache: Cache) -> None:
    source = Source()
    answers = await asyncio.gather(*(cache.through("search", "q", source) for _ in range(50)))
    assert ({answer.value for answer in answers}, source.calls) == ({b"answer 1"}, 1)


async def test_failure_is_not_stored(cache: Cache) -> None:
    source = Source(RetrievalError("down"))
    with pytest.raises(RetrievalError, match="down"):
        await cache.through("search", "q", source)
    source.fails = None
    assert await value_of(cache.through("search", "q", source)) == b"answer 2"


async def test_waiting_requests_survive_the_cancelled_first_request(cache: Cache) -> None:
    source = Source()
    first, second = (asyncio.create_task(value_of(cache.through("search", "q", source))) for _ in range(2))
    await source.asked.wait()
    first.cancel()
    assert await second == b"answer 2"


def change(path: Path, script: str) -> None:
    other = sqlite3.connect(path)
    other.executescript(script)
    other.close()


@pytest.mark.parametrize("in_use", [False, True])
async def test_read_only_cache_returns_new_answers_without_storing(
    path: Path, in_use: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    writer = Cache(path)
    await put(writer, "a")
    if not in_use:
        await writer.aclose()
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    cache = Cache(path)
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
    cache = Cache(path)
    await put(cache, "known")
    started = time.monotonic()
    with locked(path):
        for key in range(40):
            assert await value_of(cache.through("page", [key], Source())) == b"answer 1"
        assert await value_of(cache.through("page", "known", never)) == b"v"
    assert time.monotonic() - started < 6  # a wait for each would take 12 s
    [record] = caplog.records
    assert (record.name, record.levelno) == ("rarr", logging.WARNING)
    assert "cannot be written (database is locked)" in record.getMessage()
    cache._rests_until["written"] = 0.0
    await put(cache, [0])
    assert await cache.stored("page", [0])


async def test_full_disk_loses_only_the_new_value(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(path)
    await put(cache, "known")
    with cache._file.used() as sqlite:
        sqlite.execute("PRAGMA max_page_count = 8")  # SQLite says the same of a disk

    async def large() -> bytes:
        return os.urandom(100_000)

    assert len(await value_of(cache.through("page", "a", large))) == 100_000
    assert "(database or disk is full): let it be written, with room on its disk" in caplog.text
    assert await cache.stored("page", "a") is None
    assert await cache.stored("page", "known")


async def test_values_that_are_long_too_old_are_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "PRUNE_EVERY", 1)
    clock = Clock()
    cache = Cache(path, clock=clock)
    await put(cache, "old")
    clock.now += MAX_AGE_S + KEPT_S + 1
    await put(cache, "new")
    assert in_file(path, "SELECT COUNT(*) FROM entries") == 1


async def test_damaged_value_is_replaced_and_others_are_kept(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(path)
    await put(cache, "whole")
    await put(cache, "damaged", b"w")
    change(path, "UPDATE entries SET value = x'00' WHERE id = 2;")
    whole, damaged = [await cache.stored("page", key) for key in ("whole", "damaged")]
    assert (whole and whole.value, damaged) == (b"v", None)
    assert "cannot be read" in caplog.text
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
        Cache(path)
    assert path.read_bytes() == before


CHECK = "PRAGMA integrity_check"
HEAD = """
import asyncio, os, sys
from pathlib import Path
from rarr.retrievers.web.cache import Cache

cache, me = Cache(Path(sys.argv[1])), int(sys.argv[2])

def value(key):
    return str(key).encode() * 3000

async def put(key, text=b"v"):
    async def make():
        return text
    await cache.through("page", key, make)
"""
WORK = """
async def read(key):
    await put([key], value(key))

async def work():
    for start in range(0, 200, 20):
        await asyncio.gather(*(read((start + me * 40 + i) % 200) for i in range(20)))
    answers = [await cache.stored("page", [number]) for number in range(200)]
    assert [answer and answer.value for answer in answers] == [value(key) for key in range(200)]

asyncio.run(work())
"""
FOR_EVER = """
async def work():
    for key in range(10 ** 9):
        for i in range(20):
            await put((key, i), value(key))
        if key == 1:
            print("there", flush=True)

asyncio.run(work())
"""
FORK = """
to_child, to_parent = os.pipe(), os.pipe()
asyncio.run(put("before"))
pid = os.fork()
if pid == 0:
    assert asyncio.run(cache.stored("page", "before"))
    asyncio.run(put("child"))
    os.write(to_parent[1], b"!")
    os.read(to_child[0], 1)
    asyncio.run(put("child again"))
    os._exit(0)
os.read(to_parent[0], 1)
cache._file.close()  # the last one to close a file removes its log, which the child still needs
asyncio.run(put("parent"))
os.write(to_child[1], b"!")
assert os.waitpid(pid, 0)[1] == 0
assert all(asyncio.run(cache.stored("page", key)) for key in ("before", "child", "parent", "child again"))
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
    cache = Cache(path)
    answers = [asyncio.run(cache.stored("page", [1, i])) for i in range(20)]
    assert [answer and answer.value for answer in answers] == [b"1" * 3000] * 20
    asyncio.run(put(cache, "after"))
    assert asyncio.run(cache.stored("page", "after"))
    assert in_file(path, CHECK) == "ok"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_and_its_fork_both_use_it(path: Path) -> None:
    ended_well(started(FORK, path))
    assert in_file(path, CHECK) == "ok"
