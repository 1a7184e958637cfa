"""The file of saved readings: which requests it answers, its bound, and several that write at once."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from backends.prompted.readings import (
    ANSWER,
    ASK,
    content,
    in_other_forms,
    model,
    path as path,
    question,
    saved_in,
)
from rarr.backends.prompted import saved_readings
from rarr.retrievers.web.cache_file import CacheFile
from rarr.tools.models.chat import ChatRequest, Message, Sample

HEAD = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from backends.prompted.readings import ANSWER, ASK, model, saved_in
from rarr.tools.models.chat import Message, Sample

readings, me = saved_in(Path(sys.argv[1])), int(sys.argv[2])

def ask(number):
    return replace(ASK, messages=(Message("user", f"{number}"),))

def answer(number):
    return Sample(f"{number}" * 1000, 0.5)
"""
WORK = """
async def work():
    for number in range(40):
        known = await readings.get(model(), ask(number))
        assert known in (None, answer(number)), number
        await readings.put(model(), ask(number), answer(number))

asyncio.run(work())
"""
FOR_EVER = """
async def work():
    for number in range(10 ** 9):
        await readings.put(model(), ask(number % 50), answer(number % 50))
        if number == 50:
            print("there", flush=True)

asyncio.run(work())
"""
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("answer", [ANSWER, Sample("{}", None), Sample("é\n\u2028", 1.0)])
async def test_answer_and_probability_outlive_the_object(path: Path, answer: Sample) -> None:
    await saved_in(path).put(model(), ASK, answer)
    assert await saved_in(path).get(model(), ASK) == answer


@pytest.mark.parametrize(
    "other",
    [
        replace(ASK, prompt=("read_evidence", "2", "0123abcd")),
        replace(ASK, prompt=("read_evidence", "1", "0123abce")),
        replace(ASK, messages=(Message("user", "Read."),)),
        replace(ASK, messages=(Message("system", "Read. "),)),
        replace(ASK, schema={"type": "string"}),
        replace(ASK, samples=2),
        replace(ASK, temperature=0.1),
        replace(ASK, max_tokens=1),
        replace(ASK, probability=True),
    ],
)
async def test_other_request_is_not_answered(path: Path, other: ChatRequest) -> None:
    readings = saved_in(path)
    await readings.put(model(), ASK, ANSWER)
    assert await readings.get(model(), other) is None


async def test_other_model_and_other_version_are_not_answered(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await saved_in(path).put(model(), ASK, ANSWER)
    assert await saved_in(path).get(model("another server"), ASK) is None
    monkeypatch.setattr(saved_readings, "installed_version", lambda: "0.0")
    assert await saved_in(path).get(model(), ASK) is None


async def test_model_of_an_unknown_server_is_not_saved(path: Path) -> None:
    readings = saved_in(path)
    await readings.put(model(None), ASK, ANSWER)
    assert await readings.get(model(None), ASK) is None
    assert content(path) is None


async def test_refresh_replaces_what_is_saved(path: Path) -> None:
    await saved_in(path).put(model(), ASK, ANSWER)
    fresh = saved_in(path, refresh=True)
    assert await fresh.get(model(), ASK) is None
    await fresh.put(model(), ASK, Sample("{}", None))
    assert await saved_in(path).get(model(), ASK) == Sample("{}", None)


async def test_oldest_readings_go_first_beyond_the_bound(path: Path) -> None:
    most = 200_000
    readings = saved_in(path, max_bytes=most)
    count = 4 * saved_readings.PRUNE_EVERY + 1
    for number in range(count):
        await readings.put(model(), question(number), in_other_forms(f"{number}"))
    file = CacheFile(path)
    assert file.size() <= most
    file.close()
    held = [await readings.get(model(), question(number)) is not None for number in range(count)]
    assert held == sorted(held)
    assert 0 < sum(held) < count


async def test_value_of_another_request_is_no_answer(path: Path) -> None:
    readings = saved_in(path)
    await readings.put(model(), question(1), ANSWER)
    await readings.put(model(), question(2), Sample("{}", None))
    with closing(sqlite3.connect(path)) as sqlite:
        sqlite.execute("UPDATE entries SET value = (SELECT value FROM entries WHERE id = 1) WHERE id = 2")
        sqlite.commit()
    assert [await readings.get(model(), question(number)) for number in (1, 2)] == [ANSWER, None]


async def test_value_that_is_no_answer_is_asked_for_again(path: Path) -> None:
    readings = saved_in(path)
    for value in ("[]", "3", '["a", "b", "c"]', '["a", 1, 0.5]', "{"):
        await readings.put(model(), ASK, ANSWER)
        with closing(sqlite3.connect(path)) as sqlite:
            sqlite.execute("UPDATE entries SET value = ?", (zlib.compress(value.encode()),))
            sqlite.commit()
        assert await readings.get(model(), ASK) is None


def test_many_threads_share_one_file(path: Path) -> None:
    together, readings = threading.Barrier(8), saved_in(path)

    def work(number: int) -> Sample | None:
        together.wait()
        asyncio.run(readings.put(model(), question(number), ANSWER))
        return asyncio.run(saved_in(path).get(model(), question(number)))

    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(work, range(8))] == [ANSWER] * 8


def started(script: str, path: Path, number: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HEAD + script, str(path), str(number)]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def checked(path: Path) -> str:
    with closing(sqlite3.connect(path)) as sqlite:
        return str(sqlite.execute("PRAGMA integrity_check").fetchone()[0])


@pytest.mark.slow
def test_processes_write_and_read_at_once(path: Path) -> None:
    for process in [started(WORK, path, number) for number in range(2)]:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")
    assert checked(path) == "ok"
    readings = saved_in(path)
    answers = [asyncio.run(readings.get(model(), question(number))) for number in range(40)]
    assert answers == [Sample(f"{number}" * 1000, 0.5) for number in range(40)]


@pytest.mark.slow
def test_killed_writer_leaves_a_usable_file(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    process = started(FOR_EVER, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    time.sleep(0.1)
    process.kill()
    process.communicate()
    readings = saved_in(path)
    answers = [asyncio.run(readings.get(model(), question(number))) for number in range(50)]
    assert answers == [Sample(f"{number}" * 1000, 0.5) for number in range(50)]
    asyncio.run(readings.put(model(), ASK, ANSWER))
    assert asyncio.run(readings.get(model(), ASK)) == ANSWER
    assert (checked(path), caplog.records) == ("ok", [])
