"""The command line: `rarr.cli.commands`, and what ends it when the user or the system interrupts it.

This module imports nothing: until `run` is called, an interrupt ends Python itself, with a traceback.
"""


def run(argv: list[str] | None = None) -> int:
    """Runs `rarr` with these arguments, or the process's own; the exit status.

    With the process's own, SIGINT and SIGTERM end the process from now on (`rarr.cli.interrupts`).
    """
    try:
        if argv is None:
            from rarr.cli.interrupts import end_on_signals

            end_on_signals()
        from rarr.cli.commands import call

        return call(argv)
    except KeyboardInterrupt:
        import sys

        sys.stderr.write("rarr: interrupted\n")
        return 130
