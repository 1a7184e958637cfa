"""Runs in a worker process: receives calls that read untrusted files, and sends back their outcomes.

`limited_calls` starts the process, sends it one call after another on standard input, and reads the outcomes
from standard output. The process ends with its parent, after a minute without work, and when a call exceeds
its limits. The system enforces the limits where it can: time and memory on Linux, time on macOS. Elsewhere
the parent alone watches the time.
"""

import importlib
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from rarr.retrievers.extract.extracted_document import UnreadableError

IDLE_S = 60.0
TIME_IS_UP = -int(getattr(signal, "SIGALRM", 0)) or None
"""The exit status of a process that the system ended because its time was over; None on Windows."""
_LIBRARIES = (
    "pypdf",
    "trafilatura",
    "rarr.retrievers.extract.files",
    "rarr.retrievers.extract.web_page_text",
)
_WORN_OUT_MB = 400  # of memory after a call, at which a process is replaced


class CallLimits(NamedTuple):
    """What one call may use: seconds, and megabytes of memory beyond those that its process already has."""

    seconds: float
    megabytes: int


class CallOutcome(NamedTuple):
    """The result of a call, or why there is none. `last`: the process ends after it.

    `unreadable` is the message of an `UnreadableError`, and `lasting` its attribute.
    """

    result: Any = None
    unreadable: str = ""
    lasting: bool = True
    last: bool = False


def send(pipe: IO[bytes], message: object) -> None:
    """Writes one message. Raises `OSError`."""
    pickle.dump(message, pipe)
    pipe.flush()


def main() -> None:
    """Answers calls until the parent ends, 60 s pass without a call, or memory is worn out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt ends
    if hasattr(signal, "SIGALRM"):  # the parent may have set it to be ignored
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    with os.fdopen(os.dup(0), "rb") as calls, os.fdopen(os.dup(1), "wb") as outcomes:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)  # so that text which a library prints is not read as an outcome
        waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(calls, waiting), daemon=True).start()
        try:
            for library in _LIBRARIES:  # now, so that the first call is as fast as later ones
                importlib.import_module(library)
        except ImportError as error:
            send(outcomes, f"{error}: install rarr again")
            os._exit(1)
        send(outcomes, "")
        while True:
            try:
                call = waiting.get(timeout=IDLE_S)
            except queue.Empty:
                os._exit(0)
            outcome = _outcome(call)
            outcome = outcome._replace(last=outcome.last or _memory_mb(1) > _WORN_OUT_MB)
            send(outcomes, tuple(outcome))
            if outcome.last:
                os._exit(0)


def _listen(calls: IO[bytes], waiting: "queue.SimpleQueue[bytes]") -> None:
    """Puts each call from the parent in the queue. Ends the process once the parent closes the pipe."""
    try:
        while True:
            waiting.put(pickle.load(calls))
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)


def _outcome(call: bytes) -> CallOutcome:
    function, args, limits = pickle.loads(call)
    try:
        with _limited(CallLimits(*limits)):
            return CallOutcome(function(*args))
    except UnreadableError as error:
        return CallOutcome(unreadable=str(error), lasting=error.lasting)
    except MemoryError:
        return CallOutcome(unreadable=f"reading it takes more than {limits[1]} MB of memory", last=True)
    except Exception as error:  # hostile bytes can make the parsers raise any error
        return CallOutcome(unreadable=f"it cannot be read ({type(error).__name__}: {error})"[:500])


@contextmanager
def _limited(limits: CallLimits) -> Iterator[None]:
    """Lets the system end this process when the time is over, and refuse it more memory."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, limits.seconds)
    if sys.platform == "linux":
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        allowed = int(_memory_mb(0) + limits.megabytes) * 1_000_000
        known = [limit for limit in (allowed, *before) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min(known), before[1]))
    try:
        yield
    finally:
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, before)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)


def _memory_mb(column: int) -> float:
    """Reads the memory of this process in MB: its addresses (0), or what is in use (1). 0 except on Linux."""
    if sys.platform != "linux":
        return 0
    pages = Path("/proc/self/statm").read_text().split()[column]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1_000_000
