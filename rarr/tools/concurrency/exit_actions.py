"""Actions for a process that ends without unwinding, as an interrupted command does."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_MOST = 300  # characters of what an error says
_calls: dict[object, Callable[[], object]] = {}


@contextmanager
def before_end(call: Callable[[], object]) -> Iterator[None]:
    """Where the process is interrupted during the block, `call` is called first, in another thread."""
    key = object()
    _calls[key] = call
    try:
        yield
    finally:
        del _calls[key]


def always_before_end(call: Callable[[], object]) -> None:
    """The same, for as long as this process is there."""
    _calls[object()] = call


def call_all() -> None:
    """Call all registered actions, the latest first. One that fails prints a line and stops no other."""
    for call in list(_calls.values())[::-1]:
        try:
            call()
        except Exception as error:
            _say(error)


def _say(error: Exception) -> None:
    """In one line on standard error, which may be closed already."""
    reason = " ".join(str(error).split())[:_MOST]
    said = "".join(character if character.isprintable() else "\ufffd" for character in reason)
    with suppress(Exception):
        sys.stderr.write(f"rarr: not everything could be written ({type(error).__name__}: {said})\n")
        sys.stderr.flush()
