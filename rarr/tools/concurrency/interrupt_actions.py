"""Registers and calls actions for a process that ends without running its `finally` blocks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_MOST = 300  # characters of an error's message
_calls: dict[object, Callable[[], object]] = {}


@contextmanager
def before_end(call: Callable[[], object]) -> Iterator[None]:
    """Registers `call` for the time of the block: `call_all` calls it if the process is interrupted."""
    key = object()
    _calls[key] = call
    try:
        yield
    finally:
        del _calls[key]


def always_before_end(call: Callable[[], object]) -> None:
    """Registers `call` for `call_all`, for the rest of the process."""
    _calls[object()] = call


def call_all() -> None:
    """Calls all registered actions, the latest first. A failing action prints a line and stops no other."""
    for call in list(_calls.values())[::-1]:
        try:
            call()
        except Exception as error:
            _say(error)


def _say(error: Exception) -> None:
    """Prints the error on one line of standard error, which may be closed already."""
    reason = " ".join(str(error).split())[:_MOST]
    printable = "".join(character if character.isprintable() else "\ufffd" for character in reason)
    with suppress(Exception):
        sys.stderr.write(f"rarr: not everything could be written ({type(error).__name__}: {printable})\n")
        sys.stderr.flush()
