"""Starts the command line `rarr`, and ends it with one line if it is interrupted while it starts.

Until `run` is called, an interrupt ends Python itself with a traceback. So this module imports nothing.
"""

LINES = {2: b"rarr: interrupted\n", 15: b"rarr: terminated\n"}
"""The line that a command prints to standard error at SIGINT or SIGTERM. The exit status is 130 or 143."""


def run(argv: list[str] | None = None) -> int:
    """Runs `rarr` with these arguments, or those of the process, and returns the exit status.

    With the arguments of the process, signals end the process from now on: see `rarr.cli.interrupts`.
    """
    if argv is None:
        import _signal  # type: ignore[import-not-found]  # `signal` takes milliseconds to import

        for number in LINES:
            if _signal.getsignal(number) in (_signal.default_int_handler, _signal.SIG_DFL):
                _signal.signal(number, end_at_once)
        from rarr.cli.interrupts import end_in_order

        end_in_order()
    from rarr.cli.entry_point import call

    return call(argv)


def end_at_once(number: int, frame: object = None) -> None:
    """Handles a signal: prints one line and ends the process at once, since there is nothing to keep yet."""
    import os

    try:
        os.write(2, LINES[number])
    finally:
        os._exit(128 + number)
