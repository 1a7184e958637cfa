"""The command line `rarr`."""

import os
import signal
from types import FrameType


def run(argv: list[str] | None = None) -> int:
    """Runs `rarr` with `argv`; None means the command line of the process. Returns the exit status.

    If `argv` is None, SIGINT (Ctrl-C) and SIGTERM end the process with one line, without waiting for threads.
    The status is then 130 or 143.
    """
    if argv is not None:
        from rarr.cli.entry_point import run_command

        return run_command(argv)
    import gc

    gc.set_threshold(100_000, 30, 30)  # most objects come from imports, and are never garbage
    signal.signal(signal.SIGTERM, _raise_exit)
    try:
        from rarr.cli.entry_point import run_command

        status = run_command(None)
    except KeyboardInterrupt:  # before click runs, which catches it
        status = _end_with_line(130, "interrupted")
    except SystemExit as end:
        if end.code != 143:
            raise
        status = _end_with_line(143, "terminated")
    if status in (130, 143):
        os._exit(status)  # Python would wait for the threads
    return status


def _raise_exit(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _end_with_line(status: int, how: str) -> int:
    os.write(2, f"rarr: {how}\n".encode())
    return status
