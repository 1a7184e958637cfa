"""Repeats and limits requests: how many at once, how often to try, how long to wait, when to give up.

The retries of client libraries are switched off. A server that fails three times in a row is paused for
half a minute, so that a dead model or service costs a run seconds. A request that got no answer in time is
not repeated: it may have been paid for, and the next request would wait as long.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from rarr.tools.concurrency import PerLoop
from rarr.tools.models.chat import CallFailure, Kind
from rarr.tools.trace_spans import saved, span

FIRST_SLOW = 4  # requests at once, at most, after the first slow answer
FAILURES_IN_A_ROW = 3
REST_S = 30.0
LONGEST_WAIT_S = 60.0  # a server that asks to wait longer counts as unavailable

Made = TypeVar("Made")


class Limiter:
    """Lets at most `most` requests run at once in an event loop, for all texts, branches and models together.

    A server that answers one request at a time keeps the others waiting, and each would run into its timeout.
    So the number is halved after an answer that took longer than `slow_s` seconds, a timeout or a busy
    server, and rises by one after as many answers in time as may run at once. With `slow_s` None it stays.
    """

    def __init__(self, most: int, slow_s: float | None = None) -> None:
        self._places = PerLoop(lambda: _Places(most, slow_s))

    def __call__(self) -> AbstractAsyncContextManager[None]:
        """Returns a context manager that waits until a request may start, and holds its place."""
        return self._places.get().place()


class _Places:
    """The places for requests in one event loop. When their number falls, `owed` places are not returned."""

    def __init__(self, most: int, slow_s: float | None) -> None:
        self._most, self._slow_s = most, slow_s
        self._size, self._owed, self._in_time, self._fell_at = most, 0, 0, 0.0
        self._places = asyncio.Semaphore(most)

    @asynccontextmanager
    async def place(self) -> AsyncGenerator[None, None]:
        await self._places.acquire()
        began = time.monotonic()
        try:
            yield
            self._adapt(began, is_slow=time.monotonic() - began > (self._slow_s or 0.0))
        except CallFailure as failure:
            if failure.kind in ("timeout", "busy"):
                self._adapt(began, is_slow=True)
            raise
        finally:
            self._give_back()

    def _adapt(self, began: float, *, is_slow: bool) -> None:
        if self._slow_s is None:
            return
        if not is_slow:
            self._in_time += 1
            if self._in_time >= self._size < self._most:
                self._size, self._in_time = self._size + 1, 0
                self._give_back()
        elif began >= self._fell_at:  # once for all requests that were under way at the last fall
            half = max(1, self._size // 2)
            size = half if self._fell_at else min(FIRST_SLOW, half)
            self._owed += self._size - size
            self._size, self._in_time, self._fell_at = size, 0, time.monotonic()

    def _give_back(self) -> None:
        if self._owed:
            self._owed -= 1
        else:
            self._places.release()


class Attempts:
    """Sends requests to one server, and repeats them if that may help.

    After several failures in a row the server "rests": for `REST_S` seconds nothing is sent to it.
    """

    def __init__(
        self,
        name: str,
        limiter: Limiter,
        *,
        attempts: int,
        first_wait_s: float = 0.5,
        rests_after: Collection[Kind] = (),
        known: bool = True,
    ) -> None:
        """`name` is the server's name in failures. It rests after failures of the kinds `rests_after`.

        A server that is not `known` to work rests after its first timeout, until it has answered once.
        """
        self._name, self._limiter, self._rests_after = name, limiter, rests_after
        self._first_wait_s, self._known = first_wait_s, known
        self._failures, self._rests_until = 0, 0.0
        self._last: CallFailure | None = None
        self._repeated = AsyncRetrying(
            stop=stop_after_attempt(attempts),
            wait=self._wait,
            retry=retry_if_exception(_worth_another),
            reraise=True,
        )

    async def __call__(self, request: Callable[[], Awaitable[Made]]) -> Made:
        """Calls `request`, which has its own timeout, until it succeeds; raises the last `CallFailure`.

        Raises other errors, and failures that another attempt would not mend, at once.
        """
        return await self._repeated.copy()(self._once, request)

    async def _once(self, request: Callable[[], Awaitable[Made]]) -> Made:
        try:
            async with self._limiter():
                with span("request", self._name):
                    made = await self._unless_resting(request)
        except Exception:  # a cancelled request waits for nothing
            await saved()
            raise
        await saved()
        return made

    async def _unless_resting(self, request: Callable[[], Awaitable[Made]]) -> Made:
        if (rest := self._rests_until - time.monotonic()) > 0:
            message = f"{self._name} is paused for {rest:.0f} s: {self._last}"
            raise CallFailure("resting", message) from self._last
        try:
            made = await request()
        except CallFailure as failure:
            if failure.kind in self._rests_after:
                self._failures, self._last = self._failures + 1, failure
                is_new = failure.kind == "timeout" and not self._known
                if is_new or self._failures >= FAILURES_IN_A_ROW:
                    self._rests_until = time.monotonic() + REST_S
            raise
        self._failures, self._rests_until, self._known = 0, 0.0, True
        return made

    def _wait(self, state: RetryCallState) -> float:
        """Seconds until the next attempt: doubled each time, but at least as long as the server asks."""
        failure = state.outcome.exception() if state.outcome else None
        requested = failure.retry_after if isinstance(failure, CallFailure) else None
        grown = min(self._first_wait_s * 2.0 ** (state.attempt_number - 1), LONGEST_WAIT_S)
        # The factor spreads out requests that failed together.
        return max(requested or 0.0, grown) * random.uniform(1.0, 1.25)


async def in_time(request: Awaitable[Made], limit_s: float, late: str) -> Made:
    """Waits at most `limit_s` seconds for `request`; after that raises `CallFailure` with the message `late`.

    The timeout of a client is for a single read: an answer that comes byte by byte would never end.
    """
    try:
        async with asyncio.timeout(limit_s) as limit:
            return await request
    except TimeoutError:
        if not limit.expired():
            raise
        raise CallFailure("timeout", late) from None


def _worth_another(error: BaseException) -> bool:
    """True for a lost connection, a busy or failing server, unless it asks to wait too long."""
    return (
        isinstance(error, CallFailure)
        and error.kind in ("connection", "busy", "server")
        and (error.retry_after or 0.0) <= LONGEST_WAIT_S
    )
