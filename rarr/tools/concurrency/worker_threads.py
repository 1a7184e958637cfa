"""Runs computations on threads, so that the event loop stays free.

One thread runs the rules, since Python runs one thread at a time. One thread runs models of other libraries:
these leave Python while they compute and use all cores themselves, and their tokenizers cannot be used by two
threads at once. Several threads run the encoder that ships, which takes one core for each sequence. One
thread writes traces, in the order in which they were handed over. A job that is cancelled while it waits
never runs; a job that is cancelled later ends with the sequence that it computes.
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

Input = TypeVar("Input")
Result = TypeVar("Result")


def _threads(name: str, count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=count, thread_name_prefix=f"rarr-{name}")


# Two pools for the encoder, since a thread of the first waits for results of the second.
_COUNTS = {"worker": 1, "models": 1, "encoder": CORES, "sequences": CORES, "traces": 1}
_pools: dict[str, ThreadPoolExecutor] = {}


def _renew() -> None:
    _pools.update({name: _threads(name, count) for name, count in _COUNTS.items()})


_renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)  # a fork has no threads of its parent


async def work(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on the single thread for rules, with the context variables of the caller."""
    return await _run_in(_pools["worker"], compute, *args)


async def infer(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on the single thread for local models, with the context of the caller."""
    return await _run_in(_pools["models"], compute, *args)


async def encode(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on an encoder thread, with the context of the caller."""
    return await _run_in(_pools["encoder"], compute, *args)


async def in_thread(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on a thread of `asyncio.to_thread` that can call `require_awaited`."""
    return await _run_in(None, compute, *args)


def in_order(compute: Callable[..., Result], *args: object) -> "Future[Result]":
    """Hands `compute(*args)` to the single thread for traces, and returns its future at once."""
    try:
        return _pools["traces"].submit(compute, *args)
    except RuntimeError:  # the interpreter is ending, and no thread takes jobs any more
        job = Future[Result]()
        job.set_result(compute(*args))
        return job


async def result_of(job: "Future[Result]") -> Result:
    """Waits for the result of `job`. Cancelling the waiting caller does not cancel the job."""
    return await asyncio.shield(asyncio.wrap_future(job))


def side_by_side(compute: Callable[[Input], Result], inputs: Sequence[Input]) -> list[Result]:
    """Returns `compute(input)` of each input, several at a time. `compute` must release Python's lock.

    It must not call this function. If nobody waits any more, `CancelledError` ends it between two inputs.
    """
    cancelled = _CANCELLED.get()

    def wanted(item: Input) -> Result:
        _raise_if_cancelled(cancelled)
        return compute(item)

    if len(inputs) < 2:
        return [wanted(item) for item in inputs]
    return list(_pools["sequences"].map(wanted, inputs))


def require_awaited() -> None:
    """Raises `CancelledError` in a thread whose result nobody waits for any more."""
    _raise_if_cancelled(_CANCELLED.get())


_CANCELLED: ContextVar[threading.Event | None] = ContextVar("cancelled", default=None)
"""Set when the job of this thread was cancelled: nothing else can end a thread."""


async def _run_in(pool: ThreadPoolExecutor | None, compute: Callable[..., Result], *args: object) -> Result:
    cancelled = threading.Event()
    context = copy_context()
    context.run(_CANCELLED.set, cancelled)
    try:
        return await asyncio.get_running_loop().run_in_executor(
            pool, context.run, _without_stop_iteration, compute, *args
        )
    except asyncio.CancelledError:
        cancelled.set()
        raise


def _without_stop_iteration(compute: Callable[..., Result], *args: object) -> Result:
    """Computes; turns a `StopIteration` into an error that can reach the caller, who would wait forever."""
    try:
        return compute(*args)
    except StopIteration as error:
        raise RuntimeError("a computation on a thread raised StopIteration") from error


def _raise_if_cancelled(cancelled: threading.Event | None) -> None:
    if cancelled is not None and cancelled.is_set():
        raise CancelledError
