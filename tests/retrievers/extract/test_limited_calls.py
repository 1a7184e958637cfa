"""Foreign bytes are read in processes. No process outlives its limit, its parent or its reviser."""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest

from benchmarks.hostile_pages import SLOW_PAGES, repeated
from rarr import Reviser, Settings
from rarr.errors import RetrievalError
from rarr.retrievers.corpus.chunking import windows
from rarr.retrievers.extract import files, limited_calls as extracting
from rarr.retrievers.extract.limited_calls import run_in_worker
from rarr.retrievers.extract.pages import extract_page
from retrievers import calls
from retrievers.makers import build_corpus_index

PATIENCE_S = 30.0
STARTED = list[Popen[bytes]]()
TESTS = Path(__file__).parents[2]
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory")


def workers() -> set[int]:
    """Returns the ids of the worker processes that have not ended."""
    return {process.pid for process in STARTED if process.poll() is None}


@pytest.fixture(autouse=True)
def no_process_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def note_process(*args: Any, **options: Any) -> Popen[bytes]:
        STARTED.append(Popen(*args, **options))
        return STARTED[-1]

    monkeypatch.setattr(extracting, "Popen", note_process)
    yield
    extracting.end_idle_workers()
    ours = [thread for thread in threading.enumerate() if thread.name == "rarr-extract"]
    assert becomes_true(lambda: not workers() and not any(thread.is_alive() for thread in ours))


def limit(monkeypatch: pytest.MonkeyPatch, seconds: float, megabytes: int = 300) -> None:
    monkeypatch.setattr(extracting, "PAGE_S", seconds)
    monkeypatch.setattr(extracting, "PAGE_MB", megabytes)


def becomes_true(condition: Callable[[], object]) -> bool:
    """Tells whether the condition becomes true before the patience ends."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def has_ended(pid: int) -> bool:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


async def failure_line(function: Callable[..., object], *args: object) -> str:
    """Returns the reason why the call failed, on one line."""
    with pytest.raises(RetrievalError) as caught:
        await run_in_worker("a.org", function, *args)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix("a.org cannot be used: ")


@pytest.mark.slow
async def test_call_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 0.5)
    assert await failure_line(calls.backtrack) == "reading it takes more than 0.5 s"
    assert workers() == set()


@pytest.mark.slow
@linux
async def test_call_that_takes_all_memory_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 20, 100)
    assert await failure_line(calls.allocate, 150) == "reading it takes more than 100 MB of memory"
    assert await failure_line(calls.fill_memory) == "reading it takes more than 100 MB of memory"
    assert await run_in_worker("", calls.allocate, 50) == 50_000_000


@pytest.mark.slow
async def test_call_that_exits_lies_or_prints_affects_no_other(capfd: pytest.CaptureFixture[str]) -> None:
    assert "crashed the reading process (status" in await failure_line(calls.leave)
    assert "crashed the reading process (status 0, 1 validation error" in await failure_line(calls.wrong_type)
    assert await run_in_worker("", calls.print_text, "x" * 100_000) == "x" * 100_000
    assert await run_in_worker("", calls.allocate, 2) == 2_000_000
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
async def test_page_that_crashes_its_process_is_not_tried_in_another(tmp_path: Path) -> None:
    await asyncio.gather(*(run_in_worker("", calls.sleep, 0.3) for _ in "123"))
    idle, tries = workers(), tmp_path / "tries"
    assert "crashed the reading process" in await failure_line(calls.crash, tries)
    assert (tries.read_text(), len(idle - workers())) == ("x", 1)


@pytest.mark.slow
def test_processes_start_when_needed_and_end_with_the_reviser(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Peaches grow in Georgia.")
    settings = Settings(corpus=tmp_path, home=tmp_path / "home", model="embedded")
    with Reviser(settings):
        assert workers() == set()
    (tmp_path / "a.html").write_bytes(repeated("<p>Peaches grow in Georgia.</p>", 1000))
    with Reviser(settings):
        assert len(workers()) == 1
    assert workers() == set()


PARENT = """
import asyncio
from pathlib import Path
from rarr.retrievers.extract import limited_calls
from retrievers import calls

async def main():
    limited_calls.PAGE_S = {seconds}
    task = asyncio.create_task(limited_calls.run_in_worker("", {call}))
    while not (children := [pid for task in Path("/proc/self/task").iterdir()
                            for pid in (task / "children").read_text().split()]):
        await asyncio.sleep(0.01)
    print(*children, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    ("call", "seconds", "end"), [("calls.sleep, 60", 60, "SIGKILL"), ("calls.backtrack", 2, "SIGINT")]
)
def test_process_ends_with_its_parent(call: str, seconds: int, end: str) -> None:
    """Also for a program without a main guard. A call that holds Python's lock ends at its limit."""
    command = [sys.executable, "-c", PARENT.format(call=call, seconds=seconds)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS)])}
    program = Popen(command, stdout=PIPE, stderr=PIPE, text=True, cwd="/", env=env, start_new_session=True)
    assert program.stdout
    pid = int(program.stdout.readline())
    os.killpg(program.pid, signal.Signals[end])
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert becomes_true(lambda: has_ended(pid))
    assert "limited_calls.py" not in errors


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW_PAGES)
async def test_hostile_page_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 0.5)
    make, kind = SLOW_PAGES[name]
    with suppress(RetrievalError):
        page = await run_in_worker("", extract_page, make(), kind, None)
        await run_in_worker("", windows, page.text, 4)
        assert kind == "text/html"


HOSTILE_FILES: dict[str, Callable[[], bytes]] = {
    "a.json": lambda: b"[" + b"{}," * 20_000_000,
    "a.pdf": SLOW_PAGES["PDF"][0],
    "a.html": SLOW_PAGES["headings"][0],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_hostile_file_is_skipped(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, value in {"FILE_S": 0.5, "FILE_MB": 200, "MORE_S": 0.0, "MORE_MB": 0}.items():
        monkeypatch.setattr(files, limit, value)
    (tmp_path / "b.md").write_text("Peaches grow.")
    (tmp_path / name).write_bytes(HOSTILE_FILES[name]())
    report = build_corpus_index(tmp_path, tmp_path / "index")
    [(file, reason)] = report.skipped
    assert (file.rpartition("/")[2], report.passages) == (name, 1)
    assert "reading it takes more than" in reason
