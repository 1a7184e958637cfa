"""What comes from outside is read in processes, none of which outlives its limit."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from families import few

from benchmarks.hostile_makers import repeated
from rarr import Reviser, Settings
from rarr.retrievers.extract import limited_calls as extracting
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.limited_calls import extracted, extracted_file
from rarr.retrievers.extract.worker_main import CallLimits
from retrievers import calls
from retrievers.extract.endings import (
    no_process_stays as no_process_stays,
    posix,
    short as short,
)

pytestmark = pytest.mark.usefixtures("no_process_stays")
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory")


async def why(function: Callable[..., object], *args: object) -> str:
    """Why it cannot be read; in one line."""
    with pytest.raises(UnreadableError) as caught:
        await extracted(function, *args)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("call", few([calls.backtrack, calls.spin, calls.sleep], every=3))
async def test_extraction_that_never_ends_is_ended(call: Callable[..., None]) -> None:
    args = (60,) if call is calls.sleep else ()
    assert await why(call, *args) == "reading it takes more than 0.5 s"
    assert extracting.pids() == []


@pytest.mark.slow
@linux
@pytest.mark.parametrize(("call", "args"), [(calls.hoard, ()), (calls.allocate, (150,))])
async def test_extraction_that_takes_all_memory_is_ended(
    call: Callable[..., None], args: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extracting, "PAGE", CallLimits(20, 100))
    assert await why(call, *args) == "reading it takes more than 100 MB of memory"
    assert await extracted(calls.allocate, 50) == 50_000_000


@pytest.mark.slow
@pytest.mark.parametrize("call", [calls.crash, calls.leave, calls.function])
async def test_extraction_that_crashes_its_process_does_not_affect_the_next(
    call: Callable[..., None],
) -> None:
    message = await why(call)
    assert "crashed the reading process (status" in message or "gave no text" in message
    assert await extracted(calls.double, 2) == 4


async def test_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extracting.end_idle()
    tmp_path.joinpath("pypdf.py").write_text("import part_of_pypdf")
    monkeypatch.syspath_prepend(tmp_path)
    assert await why(calls.double, 2) == (
        "the process that would read it cannot start: No module named 'part_of_pypdf': install rarr again"
    )


@pytest.mark.slow
async def test_extraction_result_runs_no_code_in_this_process(tmp_path: Path) -> None:
    assert "gave no text" in await why(calls.evil, str(tmp_path / "made"))
    assert await asyncio.to_thread(os.path.exists, tmp_path / "made") is False


@pytest.mark.slow
async def test_extraction_may_print_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert await extracted(calls.chatter, "x" * 100_000) == "x" * 100_000
    assert await extracted(calls.double, 2) == 4
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@posix
async def test_interrupt_of_the_parent_does_not_reach_the_extraction() -> None:
    pid = await extracted(calls.process)
    assert os.getpgid(pid) != os.getpgid(0)
    os.kill(pid, signal.SIGINT)
    assert await extracted(calls.process) == pid


@pytest.mark.slow
async def test_slow_extraction_does_not_block_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracting, "PAGE", CallLimits(5, 600))
    slow = [asyncio.create_task(extracted(calls.sleep, 60)) for _ in range(extracting.AT_ONCE - 1)]
    await asyncio.sleep(0)
    assert await asyncio.gather(*(extracted(calls.double, number) for number in range(4))) == [0, 2, 4, 6]
    assert not any(task.done() for task in slow)
    await asyncio.gather(*slow, return_exceptions=True)


@pytest.mark.slow
@linux
@pytest.mark.parametrize(("megabytes", "kept"), [(10, 1), (450, 0)])
def test_process_that_used_much_memory_is_not_reused(megabytes: int, kept: int) -> None:
    assert extracted_file(calls.hold, megabytes, "", size=0)
    assert len(extracting.pids()) == kept


@pytest.mark.slow
@posix
def test_extraction_of_a_file_can_be_interrupted() -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        extracted_file(calls.sleep, 60, size=0)
    timer.join()
    assert extracting.pids() == []


def test_markdown_needs_no_extraction_process(tmp_path: Path) -> None:
    extracting.end_idle()
    (tmp_path / "a.md").write_text("Peaches grow in Georgia.")
    with Reviser(Settings(corpus=tmp_path, home=tmp_path / "home", model="embedded")) as reviser:
        reviser.revise("Peaches grow in Georgia.")
        assert extracting.pids() == []


@pytest.mark.slow
def test_processes_of_extraction_end_with_the_reviser(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(repeated("<p>Peaches grow in Georgia.</p>", 1000))
    with Reviser(Settings(corpus=tmp_path, home=tmp_path / "home", model="embedded")):
        assert len(extracting.pids()) == 1
    assert extracting.pids() == []
