"""Starts a worker process (see `worker_main`) from the parent, sends it calls and reads their outcomes.

The libraries for this do not fit. multiprocessing, pebble, loky and anyio either import the caller's
`__main__` in each process, which runs a script again that has no `if __name__ == "__main__"`, or fork a
program that has threads, or cannot end a single call.
"""

import io
import json
import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.worker_main import CallOutcome, TooMuchError, receive, send

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
        self.pid = self._process.pid
        timer = threading.Timer(START_S, self.kill)
        timer.daemon = True
        timer.start()
        try:
            receive(self._pipe("stdout"))
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
            send(self._pipe("stdin"), request)
            outcome = receive(self._pipe("stdout"), most)
        except TooMuchError:
            raise UnreadableError(f"reading it gave more than {most / 1_000_000:g} MB") from None
        except (OSError, ValueError) as error:
            raise EOFError from error
        try:
            return CallOutcome(*_OutcomeUnpickler(io.BytesIO(outcome)).load())
        except Exception as error:  # pickle can raise any error
            raise UnreadableError(f"reading it gave no text ({type(error).__name__}: {error})") from error

    def give_way(self) -> None:
        """Lets all other processes of the machine go first from now on. This cannot be undone."""
        self.gave_way = True
        if hasattr(os, "setpriority"):
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.pid, 10)

    def runs(self) -> bool:
        return self._process.poll() is None

    def end_late(self) -> None:
        """Kills the process because the time of its call is over."""
        self.late = True
        self.kill()

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
        for name in ("stdin", "stdout"):
            with suppress(OSError):
                self._pipe(name).close()

    def _pipe(self, name: str) -> IO[bytes]:
        return cast(IO[bytes], getattr(self._process, name))


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
