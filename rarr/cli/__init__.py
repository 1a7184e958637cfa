"""The command line `rarr`."""


def run(argv: list[str] | None = None) -> int:
    """Runs `rarr` with `argv`; None means the command line of the process. Returns the exit status.

    If `argv` is None, the function also installs the signal handlers of `rarr.cli.interrupts`.
    """
    if argv is None:
        import gc

        from rarr.cli.interrupts import install_signal_handlers

        gc.set_threshold(100_000, 30, 30)  # most objects come from imports, and are never garbage
        install_signal_handlers()
    from rarr.cli.entry_point import run_command

    return run_command(argv)
