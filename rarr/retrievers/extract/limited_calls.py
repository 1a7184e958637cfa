"""Runs functions in worker processes with limits, since hostile bytes can make reading never end.

A process (`worker_main`) is started when it is needed, and used again. A process that exceeds its limits is
killed. The libraries for this do not fit: multiprocessing, pebble, loky and anyio either import the caller's
`__main__` in each process, which runs a script again that has no `if __name__ == "__main__"`, or fork a
program that has threads, or cannot end a single call.
"""

import asyncio
import atexit
import io
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.retrievers.extract.worker_main import (
    TIME_IS_UP,
    CallLimits,
    CallOutcome,
    TooMuchError,
    receive,
    send,
)

PAGE = CallLimits(seconds=20, megabytes=600)
"""The limits for one page from the web: a megabyte of HTML takes about 2 s and 100 MB."""
FILE = CallLimits(seconds=60, megabytes=1000)
"""The limits for one file of the user; `MORE` is added for each megabyte that it holds."""
MORE = CallLimits(seconds=30, megabytes=20)
AT_ONCE = 10
"""Calls at the same time: so many that a few hostile pages do not keep the others waiting."""
STUCK_S = 1.5
"""Seconds after which a call's process gets a low priority (nice 10); it is not used for another call."""
START_S = 60.0
"""Seconds within which a new process must be ready. On an idle machine it takes half a second."""

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from rarr.retrievers.extract.worker_main import main; main()"
)
# Classes that an outcome may hold besides texts, numbers, tuples and lists: hostile bytes may have made it.
_CLASSES = {
    ("datetime", "datetime"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
    ("rarr.retrievers.corpus.chunking", "Window"),
    ("rarr.retrievers.extract.extracted_document", "Document"),
    ("rarr.retrievers.extract.html_main_text", "Page"),
}

Result = TypeVar("Result")


async def extracted(function: Callable[..., Result], *args: object) -> Result:
    """Runs `function(*args)` in a worker process, within the time and memory for a page; returns its result.

    Raises `UnreadableError` if the function does or exceeds the limits. A cancelled call ends at once.
    """
    call = WorkerCall(function, *args, limits=PAGE)
    done: Future[Result] = Future()
    done.set_running_or_notify_cancel()
    threading.Thread(target=_settle, args=(call, done), name="rarr-extract", daemon=True).start()
    try:
        return await asyncio.wrap_future(done)
    except asyncio.CancelledError:
        call.stop()
        raise


def extracted_file(function: Callable[..., Result], *args: object, size: int) -> Result:
    """Does what `extracted` does, within limits for a file of `size` bytes, and blocks until it is done."""
    megabytes = size / MEGABYTE
    seconds = round(FILE.seconds + megabytes * MORE.seconds)
    memory = round(FILE.megabytes + megabytes * MORE.megabytes)
    return WorkerCall(function, *args, limits=CallLimits(seconds, memory))()


class Processes:
    """Lets a reviser end the idle worker processes when it is closed."""

    async def aclose(self) -> None:
        """Ends the idle worker processes; new processes start when they are needed."""
        await asyncio.to_thread(end_idle)


def _settle(call: "WorkerCall[Result]", done: "Future[Result]") -> None:
    try:
        done.set_result(call())
    except BaseException as error:
        done.set_exception(error)


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
        with _pool.turns:
            while (outcome := self._try()) is None:
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

    def _try(self) -> CallOutcome | None:
        """Runs the call once in a process; None if its idle process had just ended, and it must run again."""
        self._require_wanted()  # before a process is started
        process = _pool.take()
        keep = False
        try:
            with self._lock:
                self._require_wanted()
                self._process = process
            with process.watched(self._limits.seconds):
                outcome = process.ask(self._request, self._limits.megabytes * MEGABYTE)
            keep = process.used = not (outcome.last or process.gave_way or process.late)
            return outcome
        except EOFError:
            if process.status() == 0 and process.used:  # it had just ended because it was idle
                return None
            self._require_wanted()
            raise self._ended(process) from None
        finally:
            with self._lock:
                self._process = None
            _pool.give(process, keep=keep)

    def _require_wanted(self) -> None:
        if self._stopped:
            raise UnreadableError("it is no longer wanted", lasting=False)

    def _ended(self, process: "Process") -> UnreadableError:
        if process.late or process.status() == TIME_IS_UP:
            return UnreadableError(f"reading it takes more than {self._limits.seconds:g} s")
        return UnreadableError(f"reading it crashed the reading process (status {process.status()})")


class Process:
    """One worker process, which runs one call at a time."""

    def __init__(self) -> None:
        """Starts the process and waits until it is ready. Raises `UnreadableError` if it does not start."""
        from multiprocessing.spawn import get_executable

        self.used = self.gave_way = self.late = False
        path = json.dumps([str(Path(entry).absolute()) for entry in sys.path])
        try:
            self._process = subprocess.Popen(
                [os.fsdecode(get_executable() or sys.executable), "-P", "-c", _PROGRAM, path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # an interrupt at the terminal reaches the parent alone
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            raise _unstarted(str(error)) from error
        assert self._process.stdin and self._process.stdout
        self.pid, self._calls, self._outcomes = self._process.pid, self._process.stdin, self._process.stdout
        timer = threading.Timer(START_S, self.kill)
        timer.daemon = True
        timer.start()
        try:
            receive(self._outcomes)
        except EOFError:
            status = self.status()
            self.end()
            raise _unstarted(f"status {status}") from None
        except BaseException:
            self.end()
            raise
        finally:
            timer.cancel()

    def ask(self, request: bytes, most: int) -> CallOutcome:
        """Sends a pickled call, and returns its outcome of at most `most` bytes.

        Raises `EOFError` where the process ended, and `UnreadableError` where its answer is too long or
        holds other classes than an outcome may hold.
        """
        try:
            send(self._calls, request)
            outcome = receive(self._outcomes, most)
        except TooMuchError:
            raise UnreadableError(f"reading it gave more than {most / MEGABYTE:g} MB") from None
        except (OSError, ValueError) as error:
            raise EOFError from error
        try:
            return CallOutcome(*_OutcomeUnpickler(io.BytesIO(outcome)).load())
        except Exception as error:  # pickle can raise any error
            raise UnreadableError(f"reading it gave no text ({type(error).__name__}: {error})") from error

    @contextmanager
    def watched(self, seconds: float) -> Iterator[None]:
        """Watches the call of the block: lowers the process's priority, then kills it when time is over."""
        done = threading.Event()

        def watch() -> None:
            if not done.wait(min(STUCK_S, seconds)):
                self._give_way()
                if not done.wait(seconds - STUCK_S if seconds > STUCK_S else 0.0):
                    self.late = True
                    self.kill()

        watcher = threading.Thread(target=watch, name="rarr-watch", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def _give_way(self) -> None:
        """Lets all other processes of the machine go first from now on. This cannot be undone."""
        self.gave_way = True
        if hasattr(os, "setpriority"):
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.pid, 10)

    def runs(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()

    def status(self) -> int:
        """Waits a second for the process to end, then kills it. Returns its exit status."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(1.0)
        self.kill()
        return self._process.wait()

    def end(self) -> None:
        self.kill()
        self._process.wait()
        self._close()

    def forget(self) -> None:
        """Closes the pipes in a fork without ending the process, which belongs to the parent."""
        self._close()
        self._process.returncode = 0

    def _close(self) -> None:
        for pipe in (self._calls, self._outcomes):
            with suppress(OSError):
                pipe.close()


class _OutcomeUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _CLASSES:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of an outcome")
        return super().find_class(module, name)


def _unstarted(why: str) -> UnreadableError:
    return UnreadableError(
        f"the process that would read it cannot be started ({why}): "
        "name the Python to run with multiprocessing.set_executable",
        lasting=False,
    )


class _Pool:
    """The worker processes of this program, for all its threads and event loops."""

    def __init__(self) -> None:
        self.turns = threading.Semaphore(AT_ONCE)
        self._lock = threading.Lock()
        self._idle: list[Process] = []
        self._all: set[Process] = set()

    def take(self) -> Process:
        while True:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None:
                process = Process()
                with self._lock:
                    self._all.add(process)
                return process
            if process.runs():
                return process
            self.give(process, keep=False)

    def give(self, process: Process, *, keep: bool) -> None:
        if not keep:
            process.end()
        with self._lock:
            self._idle.append(process) if keep else self._all.discard(process)

    def end_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            self.give(process, keep=False)

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
