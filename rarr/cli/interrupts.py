"""Ends an interrupted command: the command writes its results so far, prints one line, and exits.

The signal handler raises no exception. Some functions would hide an exception, and Python would wait for all
threads. A thread ends the process, because a handler must wait while the main thread is in a long call. No
command loses finished work, even if the command is killed: a file gets its name when the file is complete, a
line is appended as a whole, and a database commits. This module imports no slow module, because an interrupt
during an import would print a traceback.
"""

import atexit
import os
import signal
import sys
import threading
from types import FrameType

SIGNAL_LINES = {signal.SIGINT: b"rarr: interrupted\n", signal.SIGTERM: b"rarr: terminated\n"}
"""The line on standard error after each signal. The exit status is 130 after SIGINT, 143 after SIGTERM."""
WRITING_S = 5.0
"""The most seconds that an interrupted command has for writing its results."""


def install_signal_handlers() -> None:
    """Makes the first signal end the process after its results are written, and the second at once."""
    defaults = (signal.default_int_handler, signal.SIG_DFL)
    taken = [number for number in SIGNAL_LINES if signal.getsignal(number) in defaults]
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):  # Windows has it from Python 3.12 on, and does not need it
        os.set_blocking(writer, False)

    def forward(number: int, frame: FrameType | None) -> None:
        """Writes the signal's number to the pipe, if Python wrote it to the pipe of an event loop instead."""
        if signal.set_wakeup_fd(writer, warn_on_full_buffer=False) != writer:
            os.write(writer, bytes([number]))

    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)  # Python writes each signal's number to it
    _set_handlers(taken, forward)
    threading.Thread(target=_watch_signals, args=(reader, forward), name="rarr-signals", daemon=True).start()
    # At the exit, the result is written and no thread runs, so a signal is ignored.
    atexit.register(_set_handlers, taken, signal.SIG_IGN)
    if hasattr(os, "register_at_fork"):  # a child shares the pipe: its signal would end the parent
        os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
        os.register_at_fork(after_in_child=lambda: _set_handlers(taken, signal.SIG_DFL))


def _set_handlers(numbers: list[signal.Signals], how: "signal._HANDLER") -> None:
    for number in numbers:
        signal.signal(number, how)


def _watch_signals(reader: int, handler: "signal._HANDLER") -> None:
    """Waits for this module's signals. After the first, writes the results; after a second, ends at once."""
    for end in (_write_results_and_end, _end_process):
        while signal.getsignal(number := os.read(reader, 1)[0]) is not handler:
            pass
        end(number)


def _write_results_and_end(number: int) -> None:
    """Starts a thread that writes the results and ends the process. The main thread can still free locks."""
    late = threading.Timer(WRITING_S, _end_process, [number])
    late.daemon = True
    try:
        late.start()
        threading.Thread(target=_write_results, args=(number,), daemon=True).start()
    except RuntimeError:  # at its exit, Python starts no more threads
        _end_process(number)


def _write_results(number: int) -> None:
    if concurrency := sys.modules.get("rarr.tools.concurrency"):  # without it, there are no results
        concurrency.call_interrupt_actions()
    _end_process(number)


def _end_process(number: int) -> None:
    try:
        os.write(2, SIGNAL_LINES[signal.Signals(number)])
    finally:
        os._exit(128 + number)
