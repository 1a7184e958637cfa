"""How a command ends that is interrupted: it writes what it has, says so in one line, and is gone.

The signals raise nothing. An exception that comes at any moment, in any function, is swallowed by some functions,
becomes another exception in others, and waits for long calls of libraries to return. A thread ends the process
instead, and waits for no other thread. A command keeps what it has done whenever it ends, also when it is
killed: a file takes its name once it is whole, a line is appended whole, SQLite and the index commit.
"""

import os
import signal
import threading
from typing import NoReturn

from rarr.tools.ending import call_all

ENDING_S = 1.0
"""To write what is not yet written, at most."""

_LINES = {signal.SIGINT: b"rarr: interrupted\n", signal.SIGTERM: b"rarr: terminated\n"}
_ending = threading.Lock()


def end_on_signals() -> None:
    """SIGINT and SIGTERM end this process from now on, with exit status 130 and 143; a second one at once.

    A signal that the parent process has this one ignore stays ignored.
    """
    taken = [one for one in _LINES if signal.getsignal(one) in (signal.default_int_handler, signal.SIG_DFL)]
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    # Handlers wait for the main thread, which may be in a long call of a library; the byte in the pipe does not.
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for one in taken:
        signal.signal(one, lambda number, frame: None)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _leave(taken))
    threading.Thread(target=_watch, args=(reader,), name="rarr-signals", daemon=True).start()


def _leave(taken: list[signal.Signals]) -> None:
    """A fork shares the pipe: what is sent to it would end its parent."""
    signal.set_wakeup_fd(-1)
    for one in taken:
        signal.signal(one, signal.SIG_DFL)


def _watch(reader: int) -> None:
    first = _signal(reader)
    threading.Thread(target=_write_and_end, args=(first,), daemon=True).start()
    limit = threading.Timer(ENDING_S, _end, (first,))
    limit.daemon = True
    limit.start()
    _end(_signal(reader))


def _signal(reader: int) -> signal.Signals:
    """The next of our signals; handlers that libraries set for others write into the pipe as well."""
    while (number := os.read(reader, 1)[0]) not in set(_LINES):
        pass
    return signal.Signals(number)


def _write_and_end(number: signal.Signals) -> None:
    call_all()
    _end(number)


def _end(number: signal.Signals) -> NoReturn:
    _ending.acquire()  # for good: of several threads that end the process, one says so
    try:
        os.write(2, _LINES[number])
    finally:
        os._exit(128 + number)
