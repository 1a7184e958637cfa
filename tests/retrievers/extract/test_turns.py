"""Calls that become slow as they end: their places and their processes."""

import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any, cast

import pytest

from rarr.retrievers.extract import pool, worker_handle as worker
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.worker_handle import Process
from rarr.retrievers.extract.worker_main import CallLimits, CallOutcome
from retrievers import calls

ANSWER = CallOutcome("answer")


class Answering:
    """A stand-in for a process that answers after about as long as a call may be fast."""

    used = gave_way = late = killed = False

    def __init__(self, seconds: float = 0.002) -> None:
        self._seconds = seconds

    def ask(self, request: bytes, most: int) -> CallOutcome:
        time.sleep(self._seconds)
        return ANSWER

    def runs(self) -> bool:
        return not self.killed

    def give_way(self) -> None:
        self.gave_way = True

    def end_late(self) -> None:
        self.late = True
        self.kill()

    def kill(self) -> None:
        self.killed = True

    end = kill


def places(semaphore: threading.Semaphore) -> int:
    """The free places, counted by taking them."""
    return sum(semaphore.acquire(blocking=False) for _ in range(10))


def watcher_ended() -> bool:
    """Waits for the thread that watches a call."""
    for thread in threading.enumerate():
        if thread.name == "rarr-watch":
            thread.join(10.0)
    return all(thread.name != "rarr-watch" for thread in threading.enumerate())


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> pool._Pool:
    """A pool of one fast and one slow place, where a call is slow after 2 ms."""
    own = pool._Pool(fast=1, slow=1)
    monkeypatch.setattr(pool, "_pool", own)
    monkeypatch.setattr(pool, "SLOW_S", 0.002)
    return own


class Hesitant(threading.Semaphore):
    """A semaphore that takes longer to acquire than the call takes to end."""

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        time.sleep(0.05)
        return super().acquire(blocking, timeout)


@pytest.mark.slow
def test_call_that_turns_slow_at_its_end_returns_its_place(only: pool._Pool) -> None:
    only._slow = Hesitant(1)
    with only.turn() as turn, pool._watched(cast(Process, Answering()), 20.0, turn):
        time.sleep(0.01)
    assert watcher_ended()
    assert (places(only._fast), places(only._slow)) == (1, 1)


def test_process_killed_while_answering_is_not_reused(
    only: pool._Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = Answering(0.05)
    monkeypatch.setattr(pool, "Process", lambda: process)
    assert only._slow.acquire()  # no slow place is free: the watcher kills the process
    assert pool.WorkerCall(str.lower, "ANSWER", limits=CallLimits(20, 200))() == "answer"
    assert (process.killed, only._kept()) == (True, None)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory")
@pytest.mark.parametrize("unreadable", ["", "it holds no text"])
@pytest.mark.parametrize(("megabytes", "kept"), [(10, 1), (450, 0)])
def test_process_that_used_much_memory_is_not_reused(megabytes: int, kept: int, unreadable: str) -> None:
    pool.end_idle()
    with suppress(UnreadableError):
        pool.WorkerCall(calls.hold, megabytes, unreadable, limits=CallLimits(20, 600))()
    assert len(pool.pids()) == kept
    pool.end_idle()


def test_process_that_fails_to_start_leaves_no_pipe_open(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            begun.append(self)

    monkeypatch.setattr(worker, "_PROGRAM", "raise SystemExit(3)")
    monkeypatch.setattr(subprocess, "Popen", Recorded)
    with pytest.raises(UnreadableError, match=r"cannot be started \(status 3\)"):
        Process()
    [process] = begun
    assert process.stdin is not None and process.stdin.closed
    assert process.stdout is not None and process.stdout.closed
