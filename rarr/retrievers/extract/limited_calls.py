"""Runs functions in worker processes with limits, since a parser of hostile bytes may never end.

A process starts when a call needs it, and takes further calls. It ends when its parent ends, after a minute
without a call, or when a call exceeds the limits of time or (on Linux) of memory.

The libraries multiprocessing, pebble, loky and anyio do not fit: they run the caller's script again if it has
no `__main__` guard, or they fork a program that has threads, or they cannot end a single call.
"""

import asyncio
import atexit
import faulthandler
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from types import GenericAlias
from typing import Any, TypeVar, get_type_hints

from pydantic import TypeAdapter

from rarr.errors import RetrievalError
from rarr.retrievers.extract.documents import MEGABYTE, UnreadableError
from rarr.tools.models.run_budget import meter
from rarr.tools.text.wording import safe_text
from rarr.valid_unicode import valid

PAGE_S, PAGE_MB = 20.0, 600
"""The limits in seconds and megabytes for a page from the web: 1 MB of HTML takes about 2 s and 100 MB."""
AT_ONCE = 10
"""The most calls at the same time. There are so many that a few hostile pages do not delay the others."""

_GRACE_S = 2.0  # seconds after the limit of a call at which the parent kills the process
_IDLE_S = 60.0  # an idle process ends after this time; a new process must be ready within this time
_WORN_OUT_MB = 400  # a process ends if it uses more memory after a call
_EXPECTED_STATUSES = (0, 1)  # exit statuses of a process with too much memory and of an idle process
_LIBRARIES = ("pypdf", "trafilatura", "rarr.retrievers.extract.files")
_PROGRAM = (
    f"import faulthandler, json, sys; faulthandler.dump_traceback_later({_IDLE_S}, exit=True);"
    " sys.path[:] = json.loads(sys.argv[1]);"
    " from rarr.retrievers.extract.limited_calls import main; main(int(sys.argv[2]))"
)

Result = TypeVar("Result")


async def run_in_worker(url: str, function: Callable[..., Result], *args: object) -> Result:
    """Runs `function(*args)`, which reads the page at `url`, in a worker process. Returns the result.

    `function` must declare the type of its result. A page takes at most 20 seconds, and at most half of the
    remaining time of the run. Raises `RetrievalError` if the page is unreadable or exceeds the limits.
    """
    left = meter().remaining_s
    seconds = PAGE_S if left is None else min(PAGE_S, left / 2)
    done = Future[Result]()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(call_in_worker(round(max(seconds, 0.01), 2), PAGE_MB, function, *args))
        except BaseException as error:
            done.set_exception(error)

    # Python does not wait for a daemon thread when the program ends.
    threading.Thread(target=run, name="rarr-extract", daemon=True).start()
    try:
        return await asyncio.wrap_future(done)
    except UnreadableError as error:
        raise RetrievalError(f"{safe_text(url)} cannot be used: {' '.join(str(error).split())}") from error


# All threads and event loops share these processes. Each change of the list is one atomic operation.
_call_slots = threading.Semaphore(AT_ONCE)
_idle_workers = list[Popen[bytes]]()


def call_in_worker(seconds: float, megabytes: int, function: Callable[..., Any], *args: object) -> Any:
    """Runs `function(*args)` in a limited process. Returns the result, or raises `UnreadableError`."""
    request = pickle.dumps((function, args, seconds, megabytes))
    with _call_slots:
        while True:
            try:
                process, is_new = _idle_workers.pop(), False
            except IndexError:  # no process is left
                process, is_new = _start_worker(), True
            begin = time.monotonic()
            try:
                answer = _exchange(process, request, seconds)  # not by pickle: hostile bytes may have made it
                result, why, lasting = _answer_type(function).validate_json(answer)
                break
            except BaseException as error:
                status = _end_worker(process)
                if not isinstance(error, Exception):
                    raise
                if time.monotonic() - begin >= seconds:
                    raise UnreadableError(f"reading it takes more than {seconds:g} s") from None
                if is_new or status not in _EXPECTED_STATUSES:
                    facts = f"status {status}, {' '.join(str(error).split())[:200] or type(error).__name__}"
                    raise UnreadableError(f"reading it crashed the reading process ({facts})") from error
        _idle_workers.append(process)
    if why:
        raise UnreadableError(why, lasting=lasting)
    return result


@cache
def _answer_type(function: Callable[..., Any]) -> TypeAdapter[Any]:
    """Returns the type of a worker's answer: (result or None, failure or "", whether another try fails)."""
    declared: Any = GenericAlias(tuple, (get_type_hints(function)["return"] | None, str, bool))
    return TypeAdapter(declared)


def _start_worker() -> Popen[bytes]:
    """Starts a worker process and waits until it is ready. Raises `UnreadableError` if it does not start."""
    path = json.dumps([str(Path(entry).absolute()) for entry in sys.path])
    command = [sys.executable, "-P", "-c", _PROGRAM, path, str(os.getpid())]
    # The process gets its own session, so that an interrupt at the terminal reaches only the parent.
    group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    session: Any = {"start_new_session": True, "creationflags": group}
    try:
        process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, **session)
        try:
            _exchange(process, b"", _IDLE_S)
        except BaseException:
            _end_worker(process)
            raise
        return process
    except (OSError, ValueError, EOFError) as error:
        why = f"the process that would read it cannot be started ({error or 'it ended'}): install rarr again"
        raise UnreadableError(why, lasting=False) from error


def _exchange(process: Popen[bytes], request: bytes, seconds: float) -> bytes:
    timer = threading.Timer(seconds + _GRACE_S, process.kill)
    timer.daemon = True
    timer.start()
    assert process.stdin and process.stdout
    try:
        process.stdin.write(request)
        process.stdin.flush()
        if not (answer := process.stdout.readline()).endswith(b"\n"):
            raise EOFError
        return answer
    finally:
        timer.cancel()


def _end_worker(process: Popen[bytes]) -> int:
    """Closes the pipes of a process. Kills it if it still runs a second later. Returns its exit status."""
    for pipe in filter(None, (process.stdin, process.stdout)):
        with suppress(OSError):
            pipe.close()
    with suppress(TimeoutExpired):
        process.wait(1.0)
    process.kill()
    return process.wait()


def end_idle_workers() -> None:
    """Ends the idle worker processes; new processes start when they are needed."""
    with suppress(IndexError):  # no process is left
        while True:
            _end_worker(_idle_workers.pop())


class IdleWorkerCloser:
    """Ends the idle worker processes when a reviser is closed. The reviser holds this object."""

    async def aclose(self) -> None:
        await asyncio.to_thread(end_idle_workers)


def _forget_workers() -> None:
    """Empties the list of workers in a forked process, because the workers belong to the parent process."""
    global _call_slots
    _idle_workers.clear()
    _call_slots = threading.Semaphore(AT_ONCE)


atexit.register(end_idle_workers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)


def main(parent: int) -> None:
    """Runs in the worker process. Answers calls until its parent ends, or a minute passes without a call."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt ends
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)  # so that text which a library prints is not read as an answer
    for library in _LIBRARIES:  # imported now, so that the first call is as fast as later calls
        import_module(library)
    answer = b"ready"
    with suppress(EOFError):  # the parent closed the pipe
        while True:
            answers.write(answer + b"\n")
            answers.flush()
            if _memory_mb(1) > _WORN_OUT_MB:
                break
            answer = _run_call(*pickle.load(calls))
    os._exit(0)


def _end_with_parent(parent: int) -> None:
    """Ends this process when the process `parent` has ended, even in the middle of a call."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def _run_call(function: Callable[..., Any], args: tuple[Any, ...], seconds: float, megabytes: int) -> bytes:
    result, why, lasting = None, "", True
    try:
        _limit_process(seconds, megabytes)
        result = function(*args)
    except UnreadableError as error:
        why, lasting = str(error), error.lasting
    except MemoryError:
        why = f"reading it takes more than {megabytes} MB of memory"
    except Exception as error:  # hostile bytes can make the parsers raise any error
        why = f"it is damaged, of another type, or beyond its parser ({type(error).__name__}: {error})"[:500]
    finally:
        _limit_process(_IDLE_S, 0)
    return _answer_type(function).dump_json((result, valid(why), lasting))


def _limit_process(seconds: float, megabytes: int) -> None:
    """Limits this process: it ends after `seconds`, and may use `megabytes` more memory (0: no limit)."""
    _limit_memory(0)  # the timer needs memory for its thread
    faulthandler.dump_traceback_later(seconds, exit=True)
    _limit_memory(megabytes)


def _limit_memory(megabytes: int) -> None:
    if sys.platform == "linux":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        allowed = int(_memory_mb(0) + megabytes) * MEGABYTE if megabytes else most
        resource.setrlimit(resource.RLIMIT_AS, (allowed if most < 0 else min(allowed, most), most))


def _memory_mb(column: int) -> float:
    """Returns the MB that this process reserved (`column` 0) or uses (`column` 1); 0 if not on Linux."""
    if sys.platform != "linux":
        return 0
    pages = Path("/proc/self/statm").read_text().split()[column]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE
