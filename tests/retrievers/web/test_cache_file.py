"""The file of a cache: what is refused, what failures cost, and what is removed."""

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.tools.storage import database
from retrievers.caches import Source, never, opened, value_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


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
