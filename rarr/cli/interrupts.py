"""Ends an interrupted command: it writes its results so far, prints one line, and exits.

The handler raises no exception: some functions would swallow it, and it would wait for other threads. A
thread ends the process, since a handler waits for the main thread, which may be in a long call of a library.
A command keeps its work whenever it ends, killed or not: files get their names when they are complete, lines
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

_begun = threading.Lock()  # held from the first signal on


def end_in_order() -> None:
    """Handles signals from now on: the first lets the command finish writing, the second ends it at once."""
    defaults = (signal.default_int_handler, signal.SIG_DFL)
    taken = [number for number in LINES if signal.getsignal(number) in defaults]
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):  # Windows needs it not, and has it since Python 3.12
        os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)  # the number of a signal is written at once
    _handle(taken, _write_and_end)
    threading.Thread(target=_watch, args=(reader,), name="rarr-signals", daemon=True).start()
    # The last thing of all that is done; no thread runs any more, and the result was written.
    atexit.register(_handle, taken, signal.SIG_IGN)
    if hasattr(os, "register_at_fork"):  # else a signal to a child would end its parent
        os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
        os.register_at_fork(after_in_child=lambda: _handle(taken, signal.SIG_DFL))


def _handle(numbers: list[signal.Signals], how: "signal._HANDLER") -> None:
    for number in numbers:
        signal.signal(number, how)


def _watch(reader: int) -> None:
    """Ends the process in order at the first signal that this module handles, and at once at the second.

    Libraries handle other signals, and a server handles these as well.
    """
    for end in (_write_and_end, _end):
        while signal.getsignal(number := os.read(reader, 1)[0]) is not _write_and_end:
            pass
        end(number)


def _write_and_end(number: int, frame: FrameType | None = None) -> None:
    """Ends the process when all is written; the main thread goes on meanwhile, so that it holds no lock.

    It is the handler too: an event loop may have put its own file in the place of the pipe.
    """
    if not _begun.acquire(blocking=False):
        return
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
