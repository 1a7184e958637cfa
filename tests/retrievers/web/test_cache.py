"""The cache: how often and how long it stores, the cost of failures, and pages read through the cache."""

import asyncio
import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest
from tools.asking import metered_run

from rarr.errors import InputError, RetrievalError
from rarr.retrievers.extract import limited_calls as extracting
from rarr.retrievers.fetch.fetching import PAGE_TYPES, FetchedPage, Fetcher
from rarr.retrievers.web import cache as cached
from rarr.retrievers.web.cache import KEPT_S, MAX_AGE_S, Cache, CacheEntry, PageReader
from rarr.settings import Settings
from retrievers import calls

NOW = 1_790_000_000.0


never = AsyncMock(side_effect=AssertionError("it was to come from the cache"))


async def put(cache: Cache, key: str, value: str = "v") -> str:
    return str((await cache.entry("page", key, AsyncMock(return_value=value))).value)


async def stored(cache: Cache, *keys: str) -> list[bool]:
    return [bool(await cache.stored_entry("page", key)) for key in keys]


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "cache"


async def test_entries_expire_but_not_offline_and_are_renewed_by_refresh(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, now = AsyncMock(side_effect=[f"answer {number}" for number in range(1, 5)]), NOW
    monkeypatch.setattr(time, "time", lambda: now)
    cache, offline = Cache(path), Cache(path, offline=True)
    for seconds, expected in [(0, "answer 1"), (MAX_AGE_S, "answer 1"), (1, "answer 2")]:
        now += seconds
        assert (await cache.entry("page", "q", source)).value == expected
    now += MAX_AGE_S + 1
    made_at = datetime.fromtimestamp(NOW + MAX_AGE_S + 1, UTC)
    assert await offline.entry("page", "q", never) == CacheEntry("answer 2", made_at)
    with pytest.raises(RetrievalError, match=r"not in the cache, and offline: page 'other': run it once"):
        await offline.entry("page", ["x", "other"], never)
    refreshing = Cache(path, refresh=True)
    assert [(await refreshing.entry("page", "q", source)).value for _ in "12"] == ["answer 3", "answer 4"]
    assert (await cache.entry("page", "q", never)).value == "answer 4"


async def test_concurrent_requests_share_one_answer(path: Path) -> None:
    cache, asked = Cache(path), asyncio.Event()

    async def answer() -> str:
        asked.set()
        await asyncio.sleep(0.01)
        return f"answer {source.await_count}"

    source = AsyncMock(side_effect=answer)
    first, *others = [asyncio.create_task(cache.entry("search", "q", source)) for _ in range(20)]
    await asked.wait()
    first.cancel()  # the next caller takes over
    assert {entry.value for entry in await asyncio.gather(*others)} == {"answer 2"}


async def test_failure_is_not_stored(path: Path) -> None:
    cache, source = Cache(path), AsyncMock(side_effect=RetrievalError("down"))
    for _ in "12":
        with pytest.raises(RetrievalError, match="down"):
            await cache.entry("search", "q", source)
    assert source.await_count == 2


@pytest.mark.parametrize("failing", ["mkstemp", "zlib.compress"])  # before and after the new file was made
async def test_read_only_or_full_disk_loses_only_the_new_value(
    path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    cache = Cache(path)
    await put(cache, "known")
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left"))
    monkeypatch.setattr(f"rarr.retrievers.web.cache.{failing}", full)
    with metered_run() as meter:
        assert await put(cache, "new", "w") == "w"
    assert "No space left): allow writing, free disk space" in meter.warnings[0].message
    assert await stored(cache, "known", "new") == [True, False]
    assert len(files(path)) == 1


async def test_damaged_value_is_replaced_and_others_are_kept(path: Path) -> None:
    cache = Cache(path)
    await put(cache, "damaged")
    [damaged] = files(path)
    await put(cache, "whole")
    damaged.write_bytes(damaged.read_bytes()[:-3])
    with metered_run() as meter:
        assert await stored(cache, "whole", "damaged") == [True, False]
    assert "cannot be read" in meter.warnings[0].message
    await put(cache, "damaged")
    assert (await cache.entry("page", "damaged", never)).value == "v"


async def test_entries_that_even_offline_runs_do_not_use_are_removed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.random", lambda: 0.0)
    await put(Cache(path), "old")
    [old] = files(path)
    long_ago = time.time() - MAX_AGE_S - KEPT_S - 1
    os.utime(old, (long_ago, long_ago))
    await put(Cache(path), "new")
    assert len(files(path)) == 1 and not old.exists()


def test_file_in_place_of_the_folder_is_refused_and_stays(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("mine")
    with pytest.raises(InputError, match=r"cannot be made .*: name another home"):
        Cache(path)
    assert path.read_text() == "mine"


HTML = """<html><head><title>Fruit</title><meta property="article:published_time" content="2020-03-04"></head>
<body><article><h1>Peaches</h1><p>The peach is a fruit. It grows in Georgia, and in California as well.</p>
<h2>Größe</h2><p>A tree is five metres high. Some trees are higher.</p></article></body></html>"""
URL = "https://example.org/fruit"
Reading = Callable[..., PageReader]


@pytest.fixture
def reading(path: Path) -> Reading:
    """Returns a function that makes a reader of one page, with its own cache."""

    def make(content: bytes, media_type: str = "text/html", url: str = URL) -> PageReader:
        fetcher = AsyncMock(spec=Fetcher)
        fetcher.fetch.return_value = FetchedPage(url, content, media_type, None)
        return PageReader(fetcher, Cache(path), Settings(window=2))

    return make


async def test_page_becomes_passages_of_a_text_that_can_be_shown(reading: Reading) -> None:
    reader = reading(HTML.encode())
    first, *more = await reader.read(f"{URL}#top")
    assert first.text == "The peach is a fruit. It grows in Georgia, and in California as well."
    assert (first.source, first.title) == (URL, "Peaches")
    assert first.published_at == datetime(2020, 3, 4, tzinfo=UTC)
    text = await reader.extracted(URL) or ""
    assert all(text[passage.start : passage.end] == passage.text for passage in (first, *more))


async def test_page_that_moved_is_cited_by_its_new_address(reading: Reading) -> None:
    reader = reading(HTML.encode(), url="https://example.org/new")
    assert {passage.source for passage in await reader.read(URL)} == {"https://example.org/new"}
    assert await reader.extracted("https://example.org/new")


@pytest.mark.slow
@pytest.mark.parametrize("slow", ["extract_page", "windows"])
async def test_reading_of_a_page_ends_with_half_of_the_rest_of_the_run(
    reading: Reading, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    await extracting.run_in_worker("", calls.allocate, 0)  # a page's time does not include a process's start
    monkeypatch.setattr(cached, slow, calls.backtrack)
    message = r"cannot be used: reading it takes more than 0\.[12]"
    with metered_run(deadline_s=0.4), pytest.raises(RetrievalError, match=message):
        await reading(b"a " * 100_000, "text/plain").read(URL)


@pytest.mark.parametrize(
    ("content", "media_type", "reason"),
    [
        *((b" ", media_type, "it") for media_type in PAGE_TYPES),
        (b"%PDF-1.4 broken", "text/html", "it is damaged"),
        (b"<html><body></body></html>", "text/html", "it holds no text"),
        (b"\0\1\2", "text/plain", "it is not text"),
    ],
)
async def test_page_without_text_is_refused(
    reading: Reading, content: bytes, media_type: str, reason: str
) -> None:
    with pytest.raises(RetrievalError, match=f"{URL} cannot be used: {reason}"):
        await reading(content, media_type).read(URL)


PROGRAM = """
import asyncio, sys
from pathlib import Path
from rarr.retrievers.web.cache import Cache

cache, me, last = Cache(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])

async def put(key):
    await cache.entry("page", [key], lambda: asyncio.sleep(0, str(key) * 3000))

async def work():
    for start in range(0, last, 20):
        await asyncio.gather(*(put((start + me * 40 + i) % 200) for i in range(20)))
        if start == 20:
            print("there", flush=True)
    answers = [await cache.stored_entry("page", [key]) for key in range(200)]
    assert [answer and answer.value for answer in answers] == [str(key) * 3000 for key in range(200)]

asyncio.run(work())
"""


def start_program(path: Path, number: int, last: int) -> subprocess.Popen[str]:
    arguments = (str(path), str(number), str(last))
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_many_processes_write_and_read_at_once_also_after_killed_ones(path: Path) -> None:
    for process in [start_program(path, number, 10**9) for number in range(2)]:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.kill()
        process.communicate()
    answers = [asyncio.run(Cache(path).stored_entry("page", [key])) for key in range(40)]
    assert [answer and answer.value for answer in answers] == [str(key) * 3000 for key in range(40)]
    for process in [start_program(path, number, 200) for number in range(4)]:
        _, errors = process.communicate(timeout=30)
        assert (process.returncode, errors) == (0, "")
