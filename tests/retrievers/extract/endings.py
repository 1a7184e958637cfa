"""What tests of extraction share: no process or thread of it is left behind, and limits are short."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rarr.retrievers.extract import limited_calls as extracting
from rarr.retrievers.extract.worker_main import CallLimits

PATIENCE_S = 30.0
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture
def no_process_stays() -> Iterator[None]:
    yield
    extracting.end_idle()
    assert until(lambda: not extracting.pids() and not ours())


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test can wait for."""
    monkeypatch.setattr(extracting, "PAGE", CallLimits(0.5, 100))


def ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rarr-extract"]


def until(condition: Callable[[], object]) -> bool:
    """Whether it comes true before the patience is over."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def runs(pid: int) -> bool:
    """Whether there is a process with this id that has not ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")
