"""Runs functions in worker processes with limits, since hostile bytes can make reading never end.

A process (`worker_main`) is started when it is needed, and used again. A process that exceeds its limits is
killed. The libraries for this do not fit: multiprocessing, pebble, loky and anyio either import the caller's
`__main__` in each process, which runs a script again that has no `if __name__ == "__main__"`, or fork a
program that has threads, or cannot end a single call.
"""

import asyncio
import atexit
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.retrievers.extract.worker_main import TIME_IS_UP, CallLimits, CallOutcome, send
from rarr.tools.models.run_budget import meter

PAGE = CallLimits(seconds=20, megabytes=600)
"""The limits for one page from the web: a megabyte of HTML takes about 2 s and 100 MB."""
FILE = CallLimits(seconds=60, megabytes=1000)
"""The limits for one file of the user; `MORE` is added for each megabyte that it holds."""
MORE = CallLimits(seconds=30, megabytes=20)
AT_ONCE = 10
"""Calls at the same time: so many that a few hostile pages do not keep the others waiting."""
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


async def extracted(function: Callable[..., Result], *args: object, seconds: float = PAGE.seconds) -> Result:
    """Runs `function(*args)` in a worker process, within the limits for a page; returns its result.

    `seconds` is the time that is left for the page. A page takes at most half of the time that is left for
    the run. Raises `UnreadableError` if the function does or exceeds the limits.
    """
    left = meter().remaining
    seconds = min(seconds, PAGE.seconds, seconds if left is None else left / 2)
    limits = PAGE._replace(seconds=round(max(seconds, 0.01), 2))
    done = Future[Result]()
    done.set_running_or_notify_cancel()

    def settle() -> None:
        try:
            done.set_result(_called(limits, function, *args))
        except BaseException as error:
            done.set_exception(error)

    # A daemon, for which Python does not wait at its end.
    threading.Thread(target=settle, name="rarr-extract", daemon=True).start()
    return await asyncio.wrap_future(done)


def extracted_file(function: Callable[..., Result], *args: object, size: int) -> Result:
    """Does what `extracted` does, within limits for a file of `size` bytes, and blocks until it is done."""
    megabytes = size / MEGABYTE
    seconds = round(FILE.seconds + megabytes * MORE.seconds, 1)
    memory = round(FILE.megabytes + megabytes * MORE.megabytes)
    return _called(CallLimits(seconds, memory), function, *args)


def _called(limits: CallLimits, function: Callable[..., Result], *args: object) -> Result:
    """Waits for a turn and runs the call. Raises `UnreadableError` where there is no result."""
    request = pickle.dumps((function, args, tuple(limits)))
    with _turns:
        while (outcome := _tried(request, limits)) is None:
            pass
    if outcome.unreadable:
        raise UnreadableError(outcome.unreadable, lasting=outcome.lasting)
    return cast(Result, outcome.result)


def _tried(request: bytes, limits: CallLimits) -> CallOutcome | None:
    """Runs a call in a process; None if the process had just ended for lack of work."""
    process, is_reusable = _taken(), False
    try:
        outcome = CallOutcome(*process.exchange(request, limits.seconds))
        is_reusable = process.used = not (outcome.last or process.late)
        return outcome
    except EOFError:
        status = process.end(patience_s=1.0)
        if status == 0 and process.used:
            return None
        if process.late or status == TIME_IS_UP:
            raise UnreadableError(f"reading it takes more than {limits.seconds:g} s") from None
        raise UnreadableError(f"reading it crashed the reading process (status {status})") from None
    finally:
        if is_reusable:
            _idle.append(process)
        else:
            process.end()


class _Process:
    """One worker process, which runs one call at a time. `late`: it was killed because time was over."""

    def __init__(self) -> None:
        """Starts the process and waits until it is ready. Raises `UnreadableError` if it does not start."""
        from multiprocessing.spawn import get_executable

        self.used = self.late = False
        path = json.dumps([str(Path(entry).absolute()) for entry in sys.path])
        try:
            self.popen = subprocess.Popen(
                [os.fsdecode(get_executable() or sys.executable), "-P", "-c", _PROGRAM, path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # an interrupt at the terminal reaches the parent alone
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            raise _unstarted(str(error)) from error
        _all.add(self)
        try:
            missing = self.exchange(None, START_S)
        except EOFError:
            raise _unstarted(f"status {self.end(1.0)}") from None
        except BaseException:
            self.end()
            raise
        if missing:
            self.end()
            raise UnreadableError(f"the process that would read it cannot start: {missing}", lasting=False)

    def exchange(self, request: bytes | None, seconds: float) -> Any:
        """Sends a pickled call, if there is one, and returns the answer. Kills the process if it is late.

        Raises `EOFError` where the process ended, also because time was over, and `UnreadableError` where its
        answer holds other classes than an outcome may hold.
        """
        timer = threading.Timer(seconds, self._kill_late)
        timer.daemon = True
        timer.start()
        assert self.popen.stdin and self.popen.stdout
        try:
            if request is not None:
                send(self.popen.stdin, request)
            return _OutcomeUnpickler(self.popen.stdout).load()
        except (EOFError, OSError) as error:
            raise EOFError from error
        except Exception as error:  # pickle can raise any error
            if "truncated" in str(error):  # it ended in the middle of its answer
                raise EOFError from error
            raise UnreadableError(f"reading it gave no text ({type(error).__name__}: {error})") from error
        finally:
            timer.cancel()

    def _kill_late(self) -> None:
        self.late = True
        self.popen.kill()

    def runs(self) -> bool:
        return self.popen.poll() is None

    def end(self, patience_s: float = 0.0) -> int:
        """Kills the process if it does not end by itself within `patience_s`. Returns its exit status."""
        with suppress(subprocess.TimeoutExpired):
            self.popen.wait(patience_s)
        self.popen.kill()
        status = self.popen.wait()
        self.close()
        _all.discard(self)
        return status

    def close(self) -> None:
        """Closes the pipes to the process."""
        for pipe in (self.popen.stdin, self.popen.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes


class _OutcomeUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _CLASSES:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of an outcome")
        return super().find_class(module, name)


def _unstarted(why: str) -> UnreadableError:
    cure = "name the Python to run with multiprocessing.set_executable"
    return UnreadableError(f"the process that would read it cannot be started ({why}): {cure}", lasting=False)


# The processes of this program, for all its threads and event loops. Each change is one atomic operation.
_turns = threading.Semaphore(AT_ONCE)
_idle: list[_Process] = []
_all: set[_Process] = set()


def _taken() -> _Process:
    """Returns an idle process, or a new one."""
    with suppress(IndexError):  # none is left
        while True:
            if (process := _idle.pop()).runs():
                return process
            process.end()
    return _Process()


def pids() -> list[int]:
    """Returns the process ids of the worker processes that run."""
    return [process.popen.pid for process in list(_all) if process.runs()]


def end_idle() -> None:
    """Ends the idle worker processes; new processes start when they are needed."""
    with suppress(IndexError):  # none is left
        while True:
            _idle.pop().end()


class Processes:
    """Lets a reviser end the idle worker processes when it is closed."""

    async def aclose(self) -> None:
        """Ends the idle worker processes; new processes start when they are needed."""
        await asyncio.to_thread(end_idle)


def _renew() -> None:
    """Forgets the processes in a fork, which has no threads of its parent and must not use its processes."""
    global _turns
    for process in _all:
        process.close()
        process.popen.returncode = 0  # the parent of this fork waits for it
    _all.clear()
    _idle.clear()
    _turns = threading.Semaphore(AT_ONCE)


atexit.register(end_idle)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
