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

SIGNAL_LINES = {signal.SIGINT: b"rarr: interrupted\n", signal.SIGTERM: b"rarr: terminated\n"}
"""The line that a command prints to standard error at a signal. The exit status is 130 or 143."""
WRITING_S = 5.0
"""The most seconds that an interrupted command may write its results."""


def install_signal_handlers() -> None:
    """Installs the signal handlers. The first signal lets the command finish writing; the second ends it."""
    defaults = (signal.default_int_handler, signal.SIG_DFL)
    taken = [number for number in SIGNAL_LINES if signal.getsignal(number) in defaults]
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):  # Windows has it from Python 3.12 on, and does not need it
        os.set_blocking(writer, False)

    def forward(number: int, frame: FrameType | None) -> None:
        """Restores the wakeup pipe if an event loop replaced or removed it, and writes the signal to it."""
        if signal.set_wakeup_fd(writer, warn_on_full_buffer=False) != writer:
            os.write(writer, bytes([number]))

    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)  # the number of a signal is written at once
    _set_handlers(taken, forward)
    threading.Thread(target=_watch_signals, args=(reader, forward), name="rarr-signals", daemon=True).start()
    # This runs last: the result is written, and no thread runs any more.
    atexit.register(_set_handlers, taken, signal.SIG_IGN)
    if hasattr(os, "register_at_fork"):  # else a signal to a child would end its parent
        os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
        os.register_at_fork(after_in_child=lambda: _set_handlers(taken, signal.SIG_DFL))


def _set_handlers(numbers: list[signal.Signals], how: "signal._HANDLER") -> None:
    for number in numbers:
        signal.signal(number, how)


def _watch_signals(reader: int, handler: "signal._HANDLER") -> None:
    """Ends the process in order at the first signal that this module handles, and at once at the second."""
    for end in (_write_results_and_end, _end_process):
        while signal.getsignal(number := os.read(reader, 1)[0]) is not handler:
            pass
        end(number)


def _write_results_and_end(number: int) -> None:
    """Writes the results, then ends the process. The main thread goes on, so that it holds no lock."""
    late = threading.Timer(WRITING_S, _end_process, [number])
    late.daemon = True
    try:
        late.start()
        threading.Thread(target=_write_results, args=(number,), daemon=True).start()
    except RuntimeError:  # Python is ending, and starts no more threads
        _end_process(number)


def _write_results(number: int) -> None:
    if concurrency := sys.modules.get("rarr.tools.concurrency"):  # else nothing is to be written
        concurrency.call_interrupt_actions()
    _end_process(number)


def _end_process(number: int) -> None:
    try:
        os.write(2, SIGNAL_LINES[signal.Signals(number)])
    finally:
        os._exit(128 + number)
