"""The command line `rarr`."""

import os
import signal
from types import FrameType

_ENDS = {130: "interrupted", 143: "terminated"}
"""What a signal did to a command, by the exit status: 130 after SIGINT (Ctrl-C), 143 after SIGTERM."""


def run(argv: list[str] | None = None) -> int:
    """Runs `rarr` with `argv`; None means the command line of the process. Returns the exit status.

    If `argv` is None, SIGINT and SIGTERM end the process: it prints one line, and does not wait for threads.
    """
    if argv is None:
        import gc

        gc.set_threshold(100_000, 30, 30)  # most objects come from imports, and are never garbage
        _set_handlers(_raise_exit)
    try:
        from rarr.cli.entry_point import run_command

        status = run_command(argv)
    except SystemExit as end:
        if argv is not None or not isinstance(end.code, int) or end.code not in _ENDS:
            raise
        os.write(2, f"rarr: {_ENDS[end.code]}\n".encode())
        os._exit(end.code)  # Python would wait for the threads
    if argv is None:
        _set_handlers(signal.SIG_DFL)  # a signal ends the process while it waits for its threads
    return status


def _set_handlers(handler: "signal._HANDLER") -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _raise_exit(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
