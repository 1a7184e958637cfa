"""Repeats requests: the one place that decides how often to try, how long to wait and when to give up.

The retries of client libraries are switched off. A server that fails three times in a row is paused for
half a minute, so that a dead model or service costs a run seconds. A request that got no answer in time is
not repeated: it may have been paid for, and the next request would wait as long.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Collection
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from rarr.tools.models.chat import CallFailure, Kind
from rarr.tools.models.concurrency_limit import Limiter
from rarr.tools.trace_spans import saved, span

FAILURES_IN_A_ROW = 3
REST_S = 30.0
LONGEST_WAIT_S = 60.0  # a server that asks to wait longer counts as unavailable

Made = TypeVar("Made")


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
        self._attempts, self._first_wait_s = attempts, first_wait_s
        self._failures, self._rests_until, self._known = 0, 0.0, known
        self._last: CallFailure | None = None

    async def __call__(self, request: Callable[[], Awaitable[Made]]) -> Made:
        """Calls `request`, which has its own timeout, until it succeeds; raises the last `CallFailure`.

        Raises other errors, and failures that another attempt would not mend, at once.
        """
        attempts = AsyncRetrying(
            stop=stop_after_attempt(self._attempts),
            wait=self._wait,
            retry=retry_if_exception(_worth_another),
            reraise=True,
        )
        return await attempts(self._once, request)

    async def _once(self, request: Callable[[], Awaitable[Made]]) -> Made:
        try:
            async with self._limiter():
                made = await self._counted(request)
        except Exception:
            await saved()
            raise
        await saved()
        return made

    async def _counted(self, request: Callable[[], Awaitable[Made]]) -> Made:
        with span("request", self._name):
            self._require_awake()
            try:
                made = await request()
            except CallFailure as failure:
                self._count(failure)
                raise
        self._failures, self._rests_until, self._known = 0, 0.0, True
        return made

    def _require_awake(self) -> None:
        rest = self._rests_until - time.monotonic()
        if rest > 0:
            message = f"{self._name} is paused for {rest:.0f} s: {self._last}"
            raise CallFailure("resting", message) from self._last

    def _count(self, failure: CallFailure) -> None:
        if failure.kind in self._rests_after:
            self._failures += 1
            self._last = failure
            new_server = failure.kind == "timeout" and not self._known
            if new_server or self._failures >= FAILURES_IN_A_ROW:
                self._rests_until = time.monotonic() + REST_S

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
