"""Runs calls in a few worker processes that read untrusted files.

A process is started when it is needed, and used again. A process that exceeds its limits is killed.
"""

import atexit
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar, cast

from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.worker_handle import Process
from rarr.retrievers.extract.worker_main import TIME_IS_UP, CallLimits, CallOutcome

SLOW_S = 0.5
"""Seconds after which a call counts as slow."""
STUCK_S = 1.5
"""Seconds after which a call's process gets a low priority (nice 10); it is not used for another call."""
FAST_AT_ONCE = max(2, min(4, os.cpu_count() or 1))
"""Fast calls at the same time."""
SLOW_AT_ONCE = 6
"""Slow calls at the same time. Further slow calls wait and start again, so that fast calls need not wait."""

Result = TypeVar("Result")


class WorkerCall(Generic[Result]):
    """Runs `function(*args)` in a worker process when it is called. `stop` ends it at any time."""

    def __init__(self, function: Callable[..., Result], *args: object, limits: CallLimits) -> None:
        self._request = pickle.dumps((function, args, tuple(limits)))
        self._limits = limits
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._stopped = False

    def __call__(self) -> Result:
        """Waits for a turn, runs the call and returns its result.

        Raises `UnreadableError` if the function does, or if the call exceeded its limits or was stopped.
        """
        with _pool.turn() as turn:
            while (outcome := self._try(turn)) is None:
                pass
        if outcome.out_of_memory:
            raise UnreadableError(f"reading it takes more than {self._limits.megabytes} MB of memory")
        if outcome.unreadable:
            raise UnreadableError(outcome.unreadable, lasting=outcome.lasting)
        return cast(Result, outcome.result)

    def stop(self) -> None:
        """Ends the call, from any thread: it raises `UnreadableError`."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _try(self, turn: "Turn") -> CallOutcome | None:
        """Runs the call once in a process, and returns its outcome.

        None if the call must be made again: its idle process had just ended, or it had to await a slow turn.
        """
        self._require_wanted()  # before a process is started
        process = _pool.take()
        keep = False
        try:
            with self._lock:
                self._require_wanted()
                self._process = process
            with _watched(process, self._limits.seconds, turn):
                outcome = process.ask(self._request, self._limits.megabytes * 1_000_000)
            keep = process.used = not (outcome.last or process.gave_way or process.late or turn.must_restart)
            return outcome
        except EOFError:
            if process.status() == 0 and process.used:  # it had just ended because it was idle
                return None
            self._require_wanted()
            if turn.must_restart:
                turn.wait()
                return None
            raise self._ended(process) from None
        finally:
            with self._lock:
                self._process = None
            if keep:
                _pool.give(process)
            else:
                _pool.end(process)

    def _require_wanted(self) -> None:
        if self._stopped:
            raise UnreadableError("it is no longer wanted", lasting=False)

    def _ended(self, process: Process) -> UnreadableError:
        if process.late or process.status() == TIME_IS_UP:
            return UnreadableError(f"reading it takes more than {self._limits.seconds:g} s")
        return UnreadableError(f"reading it crashed the reading process (status {process.status()})")


class Turn:
    """One of a limited number of permissions to run: a fast one first, a slow one once the call is slow."""

    def __init__(self, fast: threading.Semaphore, slow: threading.Semaphore) -> None:
        self._slow, self._held, self.must_restart = slow, fast, False
        fast.acquire()

    def slow_down(self) -> bool:
        """Changes the fast permission for a slow one, and returns True.

        False if no slow one is free: the caller must stop its process and call `wait`.
        """
        if self._held is not self._slow:
            self.must_restart = not self._slow.acquire(blocking=False)
            if not self.must_restart:
                self._held.release()
                self._held = self._slow
        return not self.must_restart

    def wait(self) -> None:
        """Gives the fast permission back, and blocks until a slow one is free."""
        self._held.release()
        self._held = self._slow
        self._slow.acquire()
        self.must_restart = False

    def end(self) -> None:
        self._held.release()


class _Pool:
    """The worker processes of this program, for all its threads and event loops."""

    def __init__(self, fast: int = FAST_AT_ONCE, slow: int = SLOW_AT_ONCE) -> None:
        self._fast, self._slow = threading.Semaphore(fast), threading.Semaphore(slow)
        self._lock = threading.Lock()
        self._idle: list[Process] = []
        self._all: set[Process] = set()

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        turn = Turn(self._fast, self._slow)
        try:
            yield turn
        finally:
            turn.end()

    def take(self) -> Process:
        while (process := self._kept()) is not None:
            if process.runs():
                return process
            self.end(process)
        process = Process()
        with self._lock:
            self._all.add(process)
        return process

    def _kept(self) -> Process | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def give(self, process: Process) -> None:
        with self._lock:
            self._idle.append(process)

    def end(self, process: Process) -> None:
        process.end()
        with self._lock:
            self._all.discard(process)

    def end_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            self.end(process)

    def pids(self) -> list[int]:
        with self._lock:
            return [process.pid for process in self._all if process.runs()]

    def renew(self) -> None:
        """Resets the pool in a fork, which has no threads of its parent and must not use its processes."""
        for process in self._all:
            process.forget()
        self.__init__()  # type: ignore[misc]  # keeps the object, because calls refer to it


_pool = _Pool()


def end_idle() -> None:
    """Ends the idle worker processes; new processes start when they are needed."""
    _pool.end_idle()


def pids() -> list[int]:
    """Returns the process ids of the worker processes that run."""
    return _pool.pids()


atexit.register(end_idle)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _pool.renew())


@contextmanager
def _watched(process: Process, seconds: float, turn: Turn) -> Iterator[None]:
    """Watches the call of the block: makes its turn slow, lowers its priority, kills it when time is over."""
    done = threading.Event()
    started = time.monotonic()

    def watch() -> None:
        for after, act in ((SLOW_S, slow_down), (STUCK_S, process.give_way), (seconds, process.end_late)):
            if done.wait(max(0.0, min(after, seconds) - (time.monotonic() - started))):
                return
            act()

    def slow_down() -> None:
        if not turn.slow_down():
            process.kill()

    watcher = threading.Thread(target=watch, name="rarr-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()  # it may be changing the turn
