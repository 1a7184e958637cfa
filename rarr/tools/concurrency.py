"""Runs work on threads and event loops, limits its time and number, and calls actions at an interrupt.

One thread runs our own computations, since Python runs one thread at a time. One thread runs models of other
libraries: these use all cores, and their tokenizers serve only one thread. One thread writes traces, in
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
"""Seconds to wait after an interrupt until the cancelled coroutine has ended."""
RESERVE_S = 0.05
"""A coroutine is cancelled so many seconds before its deadline, so that the answer arrives in time."""

_pools: dict[str, ThreadPoolExecutor] = {}
_CANCELLED: ContextVar[threading.Event | None] = ContextVar("cancelled", default=None)
"""An event that is set when the job of this thread is cancelled: no thread can be ended from outside."""
_END: Any = object()


def _renew() -> None:
    for name in ("own", "models", "traces"):
        _pools[name] = ThreadPoolExecutor(1, thread_name_prefix=f"rarr-{name}")


_renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)  # a fork has no threads of its parent


async def work(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on the single thread for our own code, with the caller's context variables."""
    return await _on_thread(_pools["own"], compute, *args)


async def infer(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on the single thread for local models, with the caller's context variables."""
    return await _on_thread(_pools["models"], compute, *args)


async def in_thread(compute: Callable[..., Result], *args: object) -> Result:
    """Runs `compute(*args)` on another thread. `compute` may call `require_awaited` to end early."""
    return await _on_thread(None, compute, *args)


async def _on_thread(pool: ThreadPoolExecutor | None, compute: Callable[..., Result], *args: Any) -> Result:
    cancelled, context = threading.Event(), copy_context()
    context.run(_CANCELLED.set, cancelled)

    def computed() -> Result:
        try:
            return compute(*args)
        except StopIteration as error:  # before Python 3.12, the caller would wait forever
            raise RuntimeError("a computation on a thread raised StopIteration") from error

    try:
        return await asyncio.get_running_loop().run_in_executor(pool, context.run, computed)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def require_awaited() -> None:
    """Raises `CancelledError` if no caller waits any more for the result of the current thread."""
    if (cancelled := _CANCELLED.get()) is not None and cancelled.is_set():
        raise CancelledError


def submit_in_order(compute: Callable[..., Result], *args: object) -> "Future[Result]":
    """Submits `compute(*args)` to the single thread for traces. Returns the future of the result at once."""
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
    """Runs the calls at the same time, and returns their results in order.

    If a call fails, raises its error and cancels the others: their requests would be paid for without use.
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
    """Runs `compute(*args)` beside the block, from `after_s` seconds after the start of the block.

    At the end of the block, the yielded list gets the result; an unfinished computation is cancelled.
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
    """Returns `compute(item)` for each item, in the order in which the computations finish.

    At most `at_once` computations run at once. Items are read on a thread. An error cancels the others.
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
    """Cancels the block after `seconds`, and raises the error that `late` makes. None means no limit.

    A `TimeoutError` that the block itself raises is not changed. The timeout of a client limits only a single
    read: an answer that comes byte by byte would never end.
    """
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise late() from None


async def by_deadline(coroutine: Coroutine[Any, Any, Result], seconds: float | None) -> Result | None:
    """Returns the result of `coroutine`, or None after `seconds`. If `seconds` is None, there is no deadline.

    The coroutine runs in its own task, which is cancelled at the deadline or with the caller. The caller does
    not wait until the task has ended, since the task may wait for a file. A scope of anyio cancels its own
    task at each await; a run of LangGraph in that task would leave its nodes at work.
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
        task.exception()  # else asyncio logs that nobody read the error


_starting = threading.Lock()
_loop: Loop | None = None
_thread: threading.Thread | None = None


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Runs `coroutine` in an event loop on its own thread, and returns its result.

    The loop serves callers without a loop or inside another loop. The loop lives on, so that connections stay
    open between calls; `asyncio.run` would close them. An interrupt of the caller cancels the coroutine, and
    is raised after its end, or after `ENDING_S` seconds. Raises `InputError` inside of this loop.
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
        """Closes files, and the connections of synchronous calls. `aclose` closes the other connections."""
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
        """`make` makes the object. `close` is called when the loop ends, or earlier by `aclose`."""
        self._make, self._close = make, close
        self._made: WeakKeyDictionary[Loop, tuple[Result, AsyncGenerator[None, None]]] = WeakKeyDictionary()
        self._lock = threading.RLock()  # loops run in threads of their own

    def get(self) -> Result:
        """Returns the object of the running loop. The first call in a loop makes the object."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [loop for loop in self._made if loop.is_closed()]:  # an object may refer to its loop
                del self._made[ended]
            if loop not in self._made:
                made = self._make()
                holder = self._held(made)
                with suppress(StopIteration):  # the generator reaches its yield without waiting
                    holder.asend(None).send(None)
                self._made[loop] = made, holder
            return self._made[loop][0]

    async def aclose(self) -> None:
        """Closes and forgets the object of the running loop. Does nothing if there is no object."""
        with self._lock:
            _, holder = self._made.pop(asyncio.get_running_loop(), (None, None))
        if holder is not None:
            await holder.aclose()

    async def _held(self, made: Result) -> AsyncGenerator[None, None]:
        """Holds an object until this generator is closed. An event loop closes its generators at its end."""
        try:
            yield
        finally:
            if self._close is not None:
                await self._close(made)


_actions: list[Callable[[], object]] = []


@contextmanager
def call_on_interrupt(action: Callable[[], object]) -> Iterator[None]:
    """Registers `action` during the block: at an interrupt, `call_interrupt_actions` calls the action."""
    _actions.append(action)
    try:
        yield
    finally:
        _actions.remove(action)


def call_interrupt_actions() -> None:
    """Calls the registered actions, the latest first. If an action fails, prints a line and goes on.

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
