"""Ends an interrupted command: it writes its results so far, prints one line, and exits.

The signals raise no exception: some functions would swallow it, and it would wait for long calls of
libraries. A thread ends the process, and waits for no other thread. A command keeps its work whenever it
ends, killed or not: files get their names when they are complete, lines are appended as a whole, databases
commit. This module imports nothing slow, since an interrupt before it is loaded prints a traceback.
"""

import atexit
import os
import signal
import sys
import threading
from select import select

LINES = {2: b"rarr: interrupted\n", 15: b"rarr: terminated\n"}
"""The line that a command prints to standard error at SIGINT or SIGTERM. The exit status is 130 or 143."""
ENDING_S = 5.0
"""The most seconds that an interrupted command may write its results."""


def end_in_order() -> None:
    """Handles signals from now on: the first lets the command finish writing, the second ends it at once."""
    defaults = (signal.default_int_handler, signal.SIG_DFL)
    taken = [number for number in LINES if signal.getsignal(number) in defaults]
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    # A handler waits for the main thread, which may be in a long call of a library; the byte does not.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _handle(taken, lambda number, frame: None)
    threading.Thread(target=_watch, args=(reader,), name="rarr-signals", daemon=True).start()
    # The last thing of all that is done; no thread runs any more, and the result was written.
    atexit.register(_handle, taken, signal.SIG_IGN)
    if hasattr(os, "register_at_fork"):  # else a signal to a child would end its parent
        os.register_at_fork(after_in_child=hand_over)
        os.register_at_fork(after_in_child=lambda: _handle(taken, signal.SIG_DFL))


def hand_over() -> None:
    """Leaves all signals from now on to a command that handles them itself, as a server does."""
    signal.set_wakeup_fd(-1)


def _handle(numbers: list[int], how: "signal._HANDLER") -> None:
    for number in numbers:
        signal.signal(number, how)


def _watch(reader: int) -> None:
    """Waits for a signal, then for the end of writing, a second signal or `ENDING_S`; ends the process."""
    while (first := os.read(reader, 1)[0]) not in LINES:  # libraries handle other signals
        pass
    written, done = os.pipe()
    try:
        threading.Thread(target=_write_all, args=(done,), daemon=True).start()
    except RuntimeError:  # Python is ending, and starts no more threads
        _end(first)
    came, _, _ = select([reader, written], [], [], ENDING_S)
    second = os.read(reader, 1)[0] if reader in came else first
    _end(second if second in LINES else first)


def _write_all(done: int) -> None:
    if concurrency := sys.modules.get("rarr.tools.concurrency"):  # else nothing is to be written
        concurrency.call_all()
    os.close(done)


def _end(number: int) -> None:
    try:
        os.write(2, LINES[number])
    finally:
        os._exit(128 + number)
