"""Runs functions in worker processes with limits, since hostile bytes can make reading never end.

A process is started when it is needed, and used again. It ends with its parent, after a minute without work,
and when a call exceeds its limits: the system enforces time and memory on Linux, and time on macOS.

multiprocessing, pebble, loky and anyio do not fit: they run a caller's script again that has no
`if __name__ == "__main__"`, or fork a program that has threads, or cannot end a single call.
"""

import asyncio
import atexit
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.tools.models.run_budget import meter


class CallLimits(NamedTuple):
    """What one call may use: seconds, and megabytes of memory beyond those that its process already has."""

    seconds: float
    megabytes: int


PAGE = CallLimits(seconds=20, megabytes=600)
"""The limits for one page from the web: a megabyte of HTML takes about 2 s and 100 MB."""
FILE = CallLimits(seconds=60, megabytes=1000)
"""The limits for one file of the user; `MORE` is added for each megabyte that it holds."""
MORE = CallLimits(seconds=30, megabytes=20)
AT_ONCE = 10
"""Calls at the same time: so many that a few hostile pages do not keep the others waiting."""

_START_S = 60.0  # within which a new process must be ready; on an idle machine it takes half a second
_IDLE_S = 60.0
_IDLE = 75  # the exit status of a process that had no work
_WORN_OUT_MB = 400  # of memory after a call, at which a process is replaced
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from rarr.retrievers.extract.limited_calls import main; main()"
)
_LIBRARIES = (
    "pypdf",
    "rarr.retrievers.extract.files",
    "rarr.retrievers.extract.web_page_text",
    "trafilatura",
)
# Classes that a result may hold besides texts, numbers, tuples and lists: hostile bytes may have made it.
_CLASSES = {
    ("datetime", "datetime"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
    ("rarr.retrievers.corpus.chunking", "Window"),
    ("rarr.retrievers.extract.extracted_document", "Document"),
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
    seconds = round(FILE.seconds + size / MEGABYTE * MORE.seconds, 1)
    megabytes = round(FILE.megabytes + size / MEGABYTE * MORE.megabytes)
    result: Result = _called(CallLimits(seconds, megabytes), function, *args)
    return result


# The processes of this program, for all its threads and event loops. Each change is one atomic operation.
_turns = threading.Semaphore(AT_ONCE)
_idle: list["_Process"] = []


def _called(limits: CallLimits, function: Callable[..., Any], *args: object) -> Any:
    """Waits for a turn and runs the call. Raises `UnreadableError` where there is no result."""
    request = pickle.dumps((function, args, tuple(limits)))
    with _turns:
        for _ in range(AT_ONCE + 1):  # each idle process may have ended
            try:
                process = _idle.pop()
            except IndexError:  # none is left
                process = _Process()
            if process.popen.poll() is not None:
                process.end()
                continue
            is_reusable, start = False, time.monotonic()
            try:
                result, unreadable, lasting, is_last = process.exchange(request, limits.seconds)
                is_reusable = not is_last
            except EOFError:
                is_late = time.monotonic() - start >= limits.seconds
                if (status := process.end(patience_s=1.0)) == _IDLE:
                    continue
                if is_late:
                    raise UnreadableError(f"reading it takes more than {limits.seconds:g} s") from None
                raise UnreadableError(f"reading it crashed the reading process (status {status})") from None
            finally:
                _idle.append(process) if is_reusable else process.end()
            if unreadable:
                raise UnreadableError(unreadable, lasting=lasting)
            return result
    raise UnreadableError("reading it ended the reading process")


class _Process:
    """One worker process, which runs one call at a time."""

    def __init__(self) -> None:
        """Starts the process and waits until it is ready. Raises `UnreadableError` if it does not start."""
        from multiprocessing.spawn import get_executable

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
        try:
            self.exchange(None, _START_S)
        except EOFError:
            raise _unstarted(f"status {self.end(patience_s=1.0)}") from None
        except BaseException:
            self.end()
            raise

    def exchange(self, request: bytes | None, seconds: float) -> Any:
        """Sends a pickled call, if there is one, and returns the answer. Kills the process if it is late.

        Raises `EOFError` where the process ended, also because time was over, and `UnreadableError` where its
        answer holds other classes than a result may hold.
        """
        timer = threading.Timer(seconds, self.popen.kill)
        timer.daemon = True
        timer.start()
        assert self.popen.stdin and self.popen.stdout
        try:
            if request is not None:
                _send(self.popen.stdin, request)
            return _ResultUnpickler(self.popen.stdout).load()
        except (EOFError, OSError) as error:
            raise EOFError from error
        except Exception as error:  # pickle can raise any error
            if "truncated" in str(error):  # it ended in the middle of its answer
                raise EOFError from error
            raise UnreadableError(f"reading it gave no text ({type(error).__name__}: {error})") from error
        finally:
            timer.cancel()

    def end(self, patience_s: float = 0.0) -> int:
        """Kills the process if it does not end by itself within `patience_s`. Returns its exit status."""
        with suppress(subprocess.TimeoutExpired):
            self.popen.wait(patience_s)
        self.popen.kill()
        status = self.popen.wait()
        for pipe in (self.popen.stdin, self.popen.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes
        return status


class _ResultUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _CLASSES:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a result")
        return super().find_class(module, name)


def _unstarted(why: str) -> UnreadableError:
    cure = "install rarr again, or name the Python to run with multiprocessing.set_executable"
    return UnreadableError(f"the process that would read it cannot be started ({why}): {cure}", lasting=False)


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
    _idle.clear()
    _turns = threading.Semaphore(AT_ONCE)


atexit.register(end_idle)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def main() -> None:
    """Runs in the worker process: answers calls until one is the last, or a minute passes without a call."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt ends
    if hasattr(signal, "SIGALRM"):  # the parent may have set it to be ignored
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    with os.fdopen(os.dup(0), "rb") as calls, os.fdopen(os.dup(1), "wb") as answers:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)  # so that text which a library prints is not read as an answer
        waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(calls, waiting), daemon=True).start()
        try:
            for library in _LIBRARIES:  # now, so that the first call is as fast as later ones
                import_module(library)
        except ImportError:
            os._exit(1)
        _send(answers, "ready")
        is_last = False
        while not is_last:
            try:
                call = waiting.get(timeout=_IDLE_S)
            except queue.Empty:
                os._exit(_IDLE)
            answer = _answer(*pickle.loads(call))
            is_last = answer[3] or _memory_mb(1) > _WORN_OUT_MB
            _send(answers, (*answer[:3], is_last))
        os._exit(0)


def _send(pipe: IO[bytes], message: object) -> None:
    pickle.dump(message, pipe)
    pipe.flush()


def _listen(calls: IO[bytes], waiting: "queue.SimpleQueue[bytes]") -> None:
    """Puts each call from the parent in the queue. Ends the process once the parent closes the pipe."""
    try:
        while True:
            waiting.put(pickle.load(calls))
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)


def _answer(
    function: Callable[..., object], args: tuple[object, ...], limits: tuple[float, int]
) -> tuple[object, str, bool, bool]:
    """Runs a call. Returns its result, or why there is none and if that lasts; and if it is the last call."""
    try:
        _limit(*limits)
        return function(*args), "", True, False
    except UnreadableError as error:
        return None, str(error), error.lasting, False
    except MemoryError:
        return None, f"reading it takes more than {limits[1]} MB of memory", True, True
    except Exception as error:  # hostile bytes can make the parsers raise any error
        return None, f"it cannot be read ({type(error).__name__}: {error})"[:500], True, False
    finally:
        _limit(0, 0)


def _limit(seconds: float, megabytes: float) -> None:
    """Lets the system end this process after `seconds`, and refuse it more memory; 0 seconds: no limits."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
    if sys.platform == "linux":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        allowed = int(_memory_mb(0) + megabytes) * MEGABYTE if seconds else most
        resource.setrlimit(resource.RLIMIT_AS, (allowed if most < 0 else min(allowed, most), most))


def _memory_mb(column: int) -> float:
    """Reads the memory of this process in MB: its addresses (0), or what is in use (1). 0 except on Linux."""
    if sys.platform != "linux":
        return 0
    pages = Path("/proc/self/statm").read_text().split()[column]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE
