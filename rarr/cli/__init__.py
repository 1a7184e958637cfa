"""The command line: `rarr.cli.commands`, and before it, what ends it at an interrupt.

Until `run` is called, an interrupt ends Python itself, with a traceback: so this module imports nothing.
"""

LINES = {2: b"rarr: interrupted\n", 15: b"rarr: terminated\n"}
"""What SIGINT and SIGTERM have a command say on standard error; the exit status is 130 or 143."""


def run(argv: list[str] | None = None) -> int:
    """Runs `rarr` with these arguments, or the process's own; the exit status.

    With the process's own, the signals end the process from now on: see `rarr.cli.interrupts`.
    """
    if argv is None:
        import _signal  # type: ignore[import-not-found]  # `signal` takes milliseconds to import

        for number in LINES:
            if _signal.getsignal(number) in (_signal.default_int_handler, _signal.SIG_DFL):
                _signal.signal(number, end_at_once)
        from rarr.cli.interrupts import end_in_order

        end_in_order()
    from rarr.cli.commands import call

    return call(argv)


def end_at_once(number: int, frame: object = None) -> None:
    """Says so in one line, and ends the process: there is nothing yet to be kept."""
    import os

    try:
        os.write(2, LINES[number])
    finally:
        os._exit(128 + number)
