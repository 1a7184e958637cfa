"""One cache in many processes: at once, killed, and forked."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrievers.caches import in_file, opened

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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


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
