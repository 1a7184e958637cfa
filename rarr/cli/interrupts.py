"""Ends an interrupted command: it writes its results so far, prints one line, and exits.

The signals raise no exception: some functions would swallow it, and it would wait for long calls of
libraries. A thread ends the process, and waits for no other thread. A command keeps its work whenever it
ends, killed or not: files get their names when they are complete, lines are appended as a whole, databases
commit.
"""

import atexit
import os
import signal
import threading
from functools import partial
from select import select

from rarr.cli import LINES, end_at_once
from rarr.tools.concurrency import call_all

ENDING_S = 1.0
"""The most seconds that an interrupted command may write its results."""


def end_in_order() -> None:
    """Handles signals from now on: the first lets the command finish writing, the second ends it at once."""
    taken = [number for number in LINES if signal.getsignal(number) is end_at_once]
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    # A handler waits for the main thread, which may be in a long call of a library; the byte does not.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _handle(taken, lambda number, frame: None)
    threading.Thread(target=_watch, args=(reader,), name="rarr-signals", daemon=True).start()
    # The last thing of all that is done; no thread runs any more, and the result was written.
    atexit.register(_handle, taken, signal.SIG_IGN)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=partial(_mask, signal.SIG_BLOCK, taken),
            after_in_parent=partial(_mask, signal.SIG_UNBLOCK, taken),
            after_in_child=partial(_leave, taken),
        )


def hand_over() -> None:
    """Leaves all signals from now on to a command that handles them itself, as a server does."""
    signal.set_wakeup_fd(-1)


def _leave(taken: list[int]) -> None:
    """Gives the child of a fork the default handling: otherwise a signal to it would end its parent."""
    hand_over()
    _handle(taken, signal.SIG_DFL)
    _mask(signal.SIG_UNBLOCK, taken)


def _mask(how: int, taken: list[int]) -> None:
    signal.pthread_sigmask(how, taken)


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
        end_at_once(first)
    came, _, _ = select([reader, written], [], [], ENDING_S)
    second = os.read(reader, 1)[0] if reader in came else first
    end_at_once(second if second in LINES else first)


def _write_all(done: int) -> None:
    call_all()
    os.close(done)
