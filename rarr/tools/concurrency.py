"""Runs work on threads and event loops, bounds it by time and number, and calls actions at a process's end.

One thread runs our own computations, since Python runs one thread at a time. One thread runs models of other
libraries, which use all cores themselves, and whose tokenizers serve one thread. One thread writes traces, in
order. A job that is cancelled while it waits never runs.
"""

import asyncio
import os
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar, copy_context
from typing import Any, Generic, Self, TypeVar
from weakref import WeakKeyDictionary

from rarr.errors import InputError

Loop = asyncio.AbstractEventLoop
Item = TypeVar("Item")
Result = TypeVar("Result")

ENDING_S = 1.0
"""Seconds to wait, after an interrupt, until the cancelled coroutine has ended."""
RESERVE_S = 0.05
"""Seconds before a deadline at which a coroutine is cancelled, so that the answer is out in time."""

_pools: dict[str, ThreadPoolExecutor] = {}
_CANCELLED: ContextVar[threading.Event | None] = ContextVar("cancelled", default=None)
"""Set when the job of this thread was cancelled: nothing else can end a thread."""
_END: Any = object()


def _renew() -> None:
    for name in ("own", "models", "traces"):
        _pools[name] = ThreadPoolExecutor(1, thread_name_prefix=f"rarr-{name}")


_renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)  # a fork has no threads of its parent


async def work(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on the single thread for our own code, with the context of the caller."""
    return await _on_thread(_pools["own"], compute, *args)


async def infer(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on the single thread for local models, with the context of the caller."""
    return await _on_thread(_pools["models"], compute, *args)


async def in_thread(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on a thread of `asyncio.to_thread` that can call `require_awaited`."""
    return await _on_thread(None, compute, *args)


async def _on_thread(pool: ThreadPoolExecutor | None, compute: Callable[..., Result], *args: Any) -> Result:
    cancelled, context = threading.Event(), copy_context()
    context.run(_CANCELLED.set, cancelled)

    def computed() -> Result:
        try:
            return compute(*args)
        except StopIteration as error:  # before Python 3.12 it does not reach the caller, who waits forever
            raise RuntimeError("a computation on a thread raised StopIteration") from error

    try:
        return await asyncio.get_running_loop().run_in_executor(pool, context.run, computed)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def require_awaited() -> None:
    """Raises `CancelledError` in a thread whose result nobody waits for any more."""
    if (cancelled := _CANCELLED.get()) is not None and cancelled.is_set():
        raise CancelledError


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


async def together(*calls: Coroutine[Any, Any, Result]) -> list[Result]:
    """Runs the calls at once and returns the results in order. If one fails, cancels the others and raises.

    `asyncio.gather` would leave the others running: their requests would be paid for and thrown away.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        # Before Python 3.13, a group that waits for its calls cancels this task, and does not take it back:
        # a timeout or a scope of anyio around would think that somebody else has cancelled the task.
        if sys.version_info < (3, 13) and task and task.cancelling() > before:
            task.uncancel()
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


@asynccontextmanager
async def meanwhile(
    after_s: float, compute: Callable[..., Coroutine[Any, Any, Result]], *args: object
) -> AsyncGenerator[list[Result], None]:
    """Runs `compute(*args)` beside the block, from `after_s` seconds on; what is not done then is cancelled.

    The list that the block gets has the result at the end of the block, or nothing.
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
    """Returns `compute(item)` of each item, in the order in which they finished, `at_once` at the same time.

    An item is read, on a thread, when one of these places is free. An error cancels what is under way.
    """
    left, reading, results = iter(items), asyncio.Lock(), list[Result]()

    async def place() -> None:
        while True:
            async with reading:
                item = await asyncio.to_thread(next, left, _END)
            if item is _END:
                return
            results.append(await compute(item))

    await together(*(place() for _ in range(at_once)))
    return results


@asynccontextmanager
async def time_limit(seconds: float | None, late: Callable[[], Exception]) -> AsyncGenerator[None, None]:
    """Cancels the block after `seconds`, and raises `late()`; None: no limit.

    A `TimeoutError` of the block is its own. The timeout of a client is for a single read: an answer that
    comes byte by byte would never end.
    """
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise late() from None


async def by_deadline(coroutine: Coroutine[Any, Any, Result], seconds: float | None) -> Result | None:
    """Returns the result of `coroutine`, or None at the deadline, `seconds` from now; None: no deadline.

    It has a task of its own, which is cancelled at the deadline or with the caller. Nobody waits until it has
    ended: it may be waiting for a file. A scope of anyio cancels its own task at each await, so a run of
    LangGraph in that task would leave its nodes at work.
    """
    task = asyncio.ensure_future(coroutine)
    try:
        await asyncio.wait({task}, timeout=seconds and seconds - min(RESERVE_S, seconds / 10))
    finally:
        if not task.done():
            _ending.add(task)
            task.add_done_callback(_ended)
            task.cancel()
    return task.result() if task.done() else None


_ending: set[asyncio.Task[Any]] = set()  # an event loop holds its tasks weakly


def _ended(task: "asyncio.Task[Any]") -> None:
    _ending.discard(task)
    if not task.cancelled():
        task.exception()  # else asyncio logs that nobody read it


_starting = threading.Lock()
_loop: Loop | None = None
_thread: threading.Thread | None = None


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Runs `coroutine` in one event loop on its own thread, and returns its result.

    The loop serves callers without a loop or inside another loop. It lives on, so that connections stay open
    between calls, which `asyncio.run` would close. An interrupt of the caller cancels the coroutine, and is
    raised when the coroutine has ended, or after `ENDING_S` seconds. Raises `InputError` inside that loop.
    """
    if threading.current_thread() is _thread:  # the loop would wait for itself
        coroutine.close()
        raise InputError("a coroutine of rarr's own event loop cannot call revise: await arevise instead")
    ended, given_up = threading.Event(), threading.Event()

    async def call() -> Result:
        try:
            return await coroutine
        except Exception:
            if given_up.is_set():  # nobody reads the error, and asyncio would log it
                raise asyncio.CancelledError from None
            raise
        finally:
            ended.set()

    answer = asyncio.run_coroutine_threadsafe(call(), _running_loop())
    try:
        return answer.result()
    except BaseException:
        given_up.set()
        if answer.cancel():
            ended.wait(ENDING_S)
        raise


def _running_loop() -> Loop:
    global _loop, _thread

    def forever(loop: Loop) -> None:
        while True:
            with suppress(SystemExit, KeyboardInterrupt):  # raised by a coroutine; its caller gets it too
                loop.run_forever()

    with _starting:
        if _loop is None or _thread is None or not _thread.is_alive():  # a fork has no threads of its parent
            _loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=forever, args=(_loop,), name="rarr", daemon=True)
            _thread.start()
        return _loop


class Closable(ABC):
    """A base class for objects that hold files or connections open; `with` and `async with` close them."""

    @abstractmethod
    async def aclose(self) -> None:
        """Closes files, and the connections that this event loop opened. The next use opens them again."""

    def close(self) -> None:
        """Closes files, and the connections of the calls that did not await; `aclose` closes the others."""
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
    """Makes and holds one object for each event loop: connections and locks cannot be shared among loops."""

    def __init__(
        self, make: Callable[[], Result], close: Callable[[Result], Awaitable[None]] | None = None
    ) -> None:
        """`make` makes the object; `close` is called when the loop ends, or earlier by `aclose`."""
        self._make, self._close = make, close
        self._made: WeakKeyDictionary[Loop, tuple[Result, AsyncGenerator[None, None]]] = WeakKeyDictionary()
        self._lock = threading.RLock()  # loops run in threads of their own

    def get(self) -> Result:
        """Returns the object of the running loop, made at the first call."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [loop for loop in self._made if loop.is_closed()]:  # an object may refer to its loop
                del self._made[ended]
            if loop not in self._made:
                made = self._make()
                holder = self._held(made)
                with suppress(StopIteration):  # it reaches its yield without waiting
                    holder.asend(None).send(None)
                self._made[loop] = made, holder
            return self._made[loop][0]

    async def aclose(self) -> None:
        """Closes and forgets the object of the running loop, where there is one."""
        with self._lock:
            _, holder = self._made.pop(asyncio.get_running_loop(), (None, None))
        if holder is not None:
            await holder.aclose()

    async def _held(self, made: Result) -> AsyncGenerator[None, None]:
        """Holds an object until this generator is closed: an event loop closes its generators at its end."""
        try:
            yield
        finally:
            if self._close is not None:
                await self._close(made)


_actions: list[Callable[[], object]] = []


@contextmanager
def before_end(action: Callable[[], object]) -> Iterator[None]:
    """Registers `action` for the time of the block: `call_all` calls it if the process is interrupted."""
    _actions.append(action)
    try:
        yield
    finally:
        _actions.remove(action)


def call_all() -> None:
    """Calls the registered actions, the latest first. A failing action prints a line and stops no other.

    A process that ends by a signal runs neither its `finally` blocks nor `atexit`.
    """
    for action in _actions[::-1]:
        try:
            action()
        except Exception as error:
            reason = "".join(it if it.isprintable() else " " for it in str(error)[:300])
            line = f"rarr: not everything could be written ({type(error).__name__}: {reason})\n"
            with suppress(Exception):  # standard error may be closed already
                sys.stderr.write(line)
                sys.stderr.flush()
