"""Runs functions on threads and coroutines in event loops, within limits.

A job is a function call that a thread runs. `work` uses one thread for our own code, since Python runs one
thread at a time. `infer` uses one thread for local models: a model uses all cores, and a tokenizer serves
only one thread. Another thread writes traces, in order. A job that is cancelled before its start never runs.
"""

import asyncio
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar, copy_context
from typing import Any, Generic, Self, TypeVar
from weakref import WeakKeyDictionary

from rarr.errors import InputError

Loop = asyncio.AbstractEventLoop
Item = TypeVar("Item")
Result = TypeVar("Result")

ENDING_S = 1.0
"""After an interrupt, `run` waits at most this many seconds for the end of the cancelled coroutine."""
RESERVE_S = 0.05
"""A coroutine is cancelled this many seconds before its deadline, so that its caller can answer in time."""

_pools: dict[str, ThreadPoolExecutor] = {}
_CANCELLED: ContextVar[threading.Event | None] = ContextVar("cancelled", default=None)
"""The event that tells the job of a thread that the job is cancelled: nothing else can end a thread."""
_NO_MORE_ITEMS: Any = object()


def _make_thread_pools() -> None:
    for name in ("own", "models", "traces"):
        _pools[name] = ThreadPoolExecutor(1, thread_name_prefix=f"rarr-{name}")


_make_thread_pools()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_make_thread_pools)  # a forked process does not have these threads


async def work(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on the thread for our own code, with the context variables of the caller."""
    return await _run_in_pool(_pools["own"], compute, *args)


async def infer(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on the thread for local models, with the context variables of the caller."""
    return await _run_in_pool(_pools["models"], compute, *args)


async def in_thread(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on a free thread. A cancelled `compute` ends when it calls `require_awaited`."""
    return await _run_in_pool(None, compute, *args)


async def _run_in_pool(pool: ThreadPoolExecutor | None, compute: Callable[..., Result], *args: Any) -> Result:
    cancelled, context = threading.Event(), copy_context()
    context.run(_CANCELLED.set, cancelled)

    def computed() -> Result:
        try:
            return compute(*args)
        except StopIteration as error:  # before Python 3.12, it would not reach the caller
            raise RuntimeError("a computation on a thread raised StopIteration") from error

    try:
        return await asyncio.get_running_loop().run_in_executor(pool, context.run, computed)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def require_awaited() -> None:
    """Raises `CancelledError` if the job of this thread is cancelled. Then nobody waits for the result."""
    if (cancelled := _CANCELLED.get()) is not None and cancelled.is_set():
        raise CancelledError


def submit_in_order(compute: Callable[..., Result], *args: object) -> "Future[Result]":
    """Queues `compute(*args)` for the thread that writes traces. Returns a future of the result at once."""
    try:
        return _pools["traces"].submit(compute, *args)
    except RuntimeError:  # the interpreter is ending, so that threads take no more jobs
        job = Future[Result]()
        job.set_result(compute(*args))
        return job


async def result_of(job: "Future[Result]") -> Result:
    """Waits for the result of `job`, and returns it. If the caller is cancelled, the job still continues."""
    return await asyncio.shield(asyncio.wrap_future(job))


async def together(*calls: Coroutine[Any, Any, Result]) -> list[Result]:
    """Runs the coroutines `calls` at the same time, and returns their results in the order of `calls`.

    If a call fails, cancels the other calls and raises the error: nobody would use the other answers.
    """
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


@asynccontextmanager
async def meanwhile(
    after_s: float, compute: Callable[..., Coroutine[Any, Any, Result]], *args: object
) -> AsyncGenerator[list[Result], None]:
    """Runs `compute(*args)` during the `async with` block, but not in the first `after_s` seconds.

    Yields a list, which gets the result of `compute` at the end of the block. The list stays empty if
    `compute` fails. If the block ends first, `compute` is cancelled, and the list stays empty too.
    """

    async def delayed() -> Result:
        await asyncio.sleep(after_s)
        return await compute(*args)

    task, result = asyncio.create_task(delayed()), list[Result]()
    try:
        yield result
    finally:
        task.cancel()
        [outcome] = await asyncio.gather(task, return_exceptions=True)
        if not isinstance(outcome, BaseException):
            result.append(outcome)


async def for_each(
    items: Iterable[Item], compute: Callable[[Item], Awaitable[Result]], at_once: int
) -> list[Result]:
    """Returns the results of `compute(item)` for all items, in the order in which the computations finish.

    At most `at_once` computations run at once. An error of one cancels the others. A thread reads `items`.
    """
    left, reading, results = iter(items), asyncio.Lock(), list[Result]()

    async def compute_items() -> None:
        while True:
            async with reading:
                item = await asyncio.to_thread(next, left, _NO_MORE_ITEMS)
            if item is _NO_MORE_ITEMS:
                return
            results.append(await compute(item))

    await together(*(compute_items() for _ in range(at_once)))
    return results


@asynccontextmanager
async def time_limit(seconds: float | None, late: Callable[[], Exception]) -> AsyncGenerator[None, None]:
    """Cancels the `async with` block after `seconds`, and raises the error that `late` makes.

    If `seconds` is None, there is no limit. A `TimeoutError` of the block itself is raised unchanged. The
    timeout of an HTTP client limits only each read, but a slow answer may need very many reads.
    """
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise late() from None


async def by_deadline(coroutine: Coroutine[Any, Any, Result], seconds: float | None) -> Result | None:
    """Returns the result of `coroutine`, or None just before `seconds` are over. `seconds` None: no limit.

    The coroutine runs in a new task. The task is cancelled at the deadline, or when the caller is cancelled.
    The caller does not wait until the task has ended, since the task may wait for a file. Without a new task,
    the library anyio could interrupt LangGraph before LangGraph has stopped the nodes of its graph.
    """
    task = asyncio.ensure_future(coroutine)
    try:
        await asyncio.wait({task}, timeout=seconds and seconds - min(RESERVE_S, seconds / 10))
    finally:
        if not task.done():
            _unfinished_tasks.add(task)
            task.add_done_callback(_forget_task)
            task.cancel()
    return task.result() if task.done() else None


_unfinished_tasks: set[asyncio.Task[Any]] = set()  # keeps the tasks; an event loop holds them weakly


def _forget_task(task: "asyncio.Task[Any]") -> None:
    _unfinished_tasks.discard(task)
    if not task.cancelled():
        task.exception()  # asyncio would log an error that nobody reads


_starting = threading.Lock()
_loop: Loop | None = None
_thread: threading.Thread | None = None


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Runs `coroutine` in the event loop of rarr, which has its own thread, and returns the result.

    The caller may have no event loop, or run inside another loop. The loop of rarr never ends, so that
    connections stay open between calls. An interrupt, such as Ctrl-C, cancels the coroutine. `run` raises the
    interrupt when the coroutine has ended, or after `ENDING_S`. A call in rarr's loop raises `InputError`.
    """
    if threading.current_thread() is _thread:  # the loop of rarr would wait for itself
        coroutine.close()
        raise InputError("a coroutine of rarr's own event loop cannot call revise: await arevise instead")
    ended, given_up = threading.Event(), threading.Event()

    async def call() -> Result:
        try:
            return await coroutine
        except Exception:
            if given_up.is_set():  # asyncio would log the error, since nobody reads it
                raise asyncio.CancelledError from None
            raise
        finally:
            ended.set()

    answer = asyncio.run_coroutine_threadsafe(call(), _rarr_loop())
    try:
        return answer.result()
    except BaseException:
        given_up.set()
        if answer.cancel():
            ended.wait(ENDING_S)
        raise


def _rarr_loop() -> Loop:
    global _loop, _thread

    def run_loop_forever(loop: Loop) -> None:
        while True:
            with suppress(SystemExit, KeyboardInterrupt):  # a coroutine raised it, and `run` raises it too
                loop.run_forever()

    with _starting:
        if _loop is None or _thread is None or not _thread.is_alive():  # a forked process has no thread
            _loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=run_loop_forever, args=(_loop,), name="rarr", daemon=True)
            _thread.start()
        return _loop


class Closable(ABC):
    """The base class of objects with open files or connections. `with` and `async with` close the object."""

    @abstractmethod
    async def aclose(self) -> None:
        """Closes the files, and the connections of the running loop. A later call opens new connections."""

    def close(self) -> None:
        """Closes the files, and the connections of synchronous calls. `aclose` is for asynchronous calls."""
        run(self.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


class PerLoop(Generic[Result]):
    """Makes and keeps one object for each event loop, since loops cannot share connections and locks."""

    def __init__(
        self, make: Callable[[], Result], close: Callable[[Result], Awaitable[None]] | None = None
    ) -> None:
        """`make` makes the object of a loop. At the end of the loop, or in `aclose`, `close` closes it."""
        self._make, self._close = make, close
        self._made: WeakKeyDictionary[Loop, tuple[Result, AsyncGenerator[None, None]]] = WeakKeyDictionary()
        self._lock = threading.RLock()  # each event loop runs in its own thread

    def get(self) -> Result:
        """Returns the object of the running loop. The first call in a loop makes the object."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [loop for loop in self._made if loop.is_closed()]:  # a value may keep its key alive
                del self._made[ended]
            if loop not in self._made:
                made = self._make()
                holder = self._close_at_end(made)
                with suppress(StopIteration):  # the generator reaches its `yield` without waiting
                    holder.asend(None).send(None)
                self._made[loop] = made, holder
            return self._made[loop][0]

    async def aclose(self) -> None:
        """Closes the object of the running loop, if there is an object. The next `get` makes a new object."""
        with self._lock:
            _, holder = self._made.pop(asyncio.get_running_loop(), (None, None))
        if holder is not None:
            await holder.aclose()

    async def _close_at_end(self, made: Result) -> AsyncGenerator[None, None]:
        """Closes the object `made` when this generator is closed. A loop that ends closes its generators."""
        try:
            yield
        finally:
            if self._close is not None:
                await self._close(made)
