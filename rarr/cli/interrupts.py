"""Ends an interrupted command: it writes its results so far, prints one line, and exits.

The handler raises no exception: some functions would swallow it, and it would wait for other threads. A
command keeps its work whenever it ends, killed or not: files get their names when they are complete, lines
are appended as a whole, databases commit. This module imports nothing slow, since an interrupt before it is
loaded prints a traceback.
"""

import atexit
import os
import signal
import sys
import threading
from types import FrameType

LINES = {signal.SIGINT: b"rarr: interrupted\n", signal.SIGTERM: b"rarr: terminated\n"}
"""The line that a command prints to standard error at a signal. The exit status is 130 or 143."""
ENDING_S = 5.0
"""The most seconds that an interrupted command may write its results."""


def end_in_order() -> None:
    """Handles signals from now on: the first lets the command finish writing, the second ends it at once."""
    defaults = (signal.default_int_handler, signal.SIG_DFL)
    taken = [number for number in LINES if signal.getsignal(number) in defaults]
    _handle(taken, _write_and_end)
    # The last thing of all that is done; no thread runs any more, and the result was written.
    atexit.register(_handle, taken, signal.SIG_IGN)
    if hasattr(os, "register_at_fork"):  # else a child would write what its parent writes
        os.register_at_fork(after_in_child=lambda: _handle(taken, signal.SIG_DFL))


def _handle(numbers: list[signal.Signals], how: "signal._HANDLER") -> None:
    for number in numbers:
        signal.signal(number, how)


def _write_and_end(number: int, frame: FrameType | None) -> None:
    """Ends the process when all is written; the main thread goes on meanwhile, so that it holds no lock."""
    _handle([*LINES], lambda second, frame: _end(second))
    late = threading.Timer(ENDING_S, _end, [number])
    late.daemon = True
    try:
        late.start()
        threading.Thread(target=_write, args=(number,), daemon=True).start()
    except RuntimeError:  # Python is ending, and starts no more threads
        _end(number)


def _write(number: int) -> None:
    if concurrency := sys.modules.get("rarr.tools.concurrency"):  # else nothing is to be written
        concurrency.call_all()
    _end(number)


def _end(number: int) -> None:
    try:
        os.write(2, LINES[signal.Signals(number)])
    finally:
        os._exit(128 + number)
