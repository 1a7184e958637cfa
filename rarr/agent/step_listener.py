"""Tells each caller of a shared reviser which nodes of its own run have finished."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("step_listener", default=None)
"""What to call with the name of a finished node. Nodes are reported in the context of their caller."""


def tell_step(node: str) -> None:
    """Tells the caller whose run has finished this node; for the argument `on_step` of `Reviser`."""
    if (listener := _LISTENER.get()) is not None:
        listener(node)


@contextmanager
def steps_told_to(listener: Callable[[str], None] | None) -> Iterator[None]:
    """Calls `listener` with the name of each node that finishes in a run that begins in the block."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
