"""Threads for pure computation, which keep the event loop free.

One for the rules: Python runs one thread at a time. One for local models of libraries, which leave Python
while they compute and have all cores themselves: their tokenizers cannot be used by two threads at once.
Several for the encoder that ships, which takes one core for each sequence. What was cancelled while it
waited never runs, and what is cancelled later ends with the sequence that it computes. And one for traces,
in which everything runs in the order in which it was handed over.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import TypeVar

CORES = min(4, os.cpu_count() or 1)
"""Sequences that the encoder computes at the same time."""

Given = TypeVar("Given")
Result = TypeVar("Result")


def _threads(name: str, count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=count, thread_name_prefix=f"rarr-{name}")


# Two for the encoder, since what a thread of the first waits for is computed by the second.
_COUNTS = {"worker": 1, "models": 1, "encoder": CORES, "sequences": CORES, "traces": 1}
_pools: dict[str, ThreadPoolExecutor] = {}


def _renew() -> None:
    _pools.update({name: _threads(name, count) for name, count in _COUNTS.items()})


_renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)  # a fork has no threads of its parent


async def work(compute: Callable[..., Result], *args: object) -> Result:
    """Run `compute(*args)` on the single rules thread. It sees the context variables of the caller."""
    return await _run_in(_pools["worker"], compute, *args)


async def infer(compute: Callable[..., Result], *args: object) -> Result:
    """Run `compute(*args)` on the single thread for local models, with the context of the caller."""
    return await _run_in(_pools["models"], compute, *args)


async def encode(compute: Callable[..., Result], *args: object) -> Result:
    """Run `compute(*args)` on an encoder thread, with the context of the caller."""
    return await _run_in(_pools["encoder"], compute, *args)


async def in_thread(compute: Callable[..., Result], *args: object) -> Result:
    """Run `compute(*args)` on a thread of `asyncio.to_thread` that can call `require_awaited`."""
    return await _run_in(None, compute, *args)


def in_order(compute: Callable[..., Result], *args: object) -> "Future[Result]":
    """Run `compute(*args)` on the traces thread. It runs even if nobody waits for it."""
    try:
        return _pools["traces"].submit(compute, *args)
    except RuntimeError:  # the interpreter ends, and no thread takes anything any more
        job = Future[Result]()
        job.set_result(compute(*args))
        return job


async def result_of(job: "Future[Result]") -> Result:
    """The result of `job`. Cancelling the waiting caller does not cancel the job."""
    return await asyncio.shield(asyncio.wrap_future(job))


def side_by_side(compute: Callable[[Given], Result], given: Sequence[Given]) -> list[Result]:
    """`compute` of each, several at a time; it leaves Python while it computes, and never calls this.

    Raises `CancelledError` between two of them once nobody waits for it.
    """
    cancelled = _CANCELLED.get()

    def wanted(one: Given) -> Result:
        _raise_if_cancelled(cancelled)
        return compute(one)

    return [wanted(one) for one in given] if len(given) < 2 else list(_pools["sequences"].map(wanted, given))


def require_awaited() -> None:
    """Raises `CancelledError` in a thread that computes what nobody waits for any more."""
    _raise_if_cancelled(_CANCELLED.get())


_CANCELLED: ContextVar[threading.Event | None] = ContextVar("cancelled", default=None)
"""Is set when what this thread computes was cancelled: nothing else can end a thread."""


async def _run_in(pool: ThreadPoolExecutor | None, compute: Callable[..., Result], *args: object) -> Result:
    cancelled = threading.Event()
    context = copy_context()
    context.run(_CANCELLED.set, cancelled)
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, context.run, compute, *args)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def _raise_if_cancelled(cancelled: threading.Event | None) -> None:
    if cancelled is not None and cancelled.is_set():
        raise CancelledError
