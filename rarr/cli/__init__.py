"""The command line `rarr`."""


def run(argv: list[str] | None = None) -> int:
    """Runs `rarr` with these arguments, or those of the process, and returns the exit status.

    With the arguments of the process, signals end the process from now on: see `rarr.cli.interrupts`.
    """
    if argv is None:
        import gc

        from rarr.cli.interrupts import end_in_order

        gc.set_threshold(100_000, 30, 30)  # most objects of a command are its imports
        end_in_order()
    from rarr.cli.entry_point import call

    return call(argv)
