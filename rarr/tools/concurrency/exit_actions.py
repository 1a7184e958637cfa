"""What has to be done before a process ends without unwinding, as an interrupted command does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

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
    """Calls what is registered now, the latest first. What fails does not keep the others from it."""
    for call in list(_calls.values())[::-1]:
        with suppress(Exception):
            call()
