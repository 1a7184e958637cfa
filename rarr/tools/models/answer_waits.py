"""Bounds the waits for the answers of a model's server: for the first token, and between tokens.

A model that asks its server to stream calls `stream_requested`, and `token_arrived` for each token. Any other
answer has to be complete within the wait between tokens.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from rarr.tools.concurrency.per_loop import PerLoop
from rarr.tools.models.chat import CallFailure

LONGEST = 10
"""The longest wait for a first token, as a multiple of the wait between tokens."""

_MARGIN = 3  # times the slowest wait of late
_REMEMBERED = 20  # waits
_TOGETHER = 3  # prompts that a server of unknown speed may read together before its first token


@dataclass
class _Server:
    """What is known of the server in one event loop: its requests under way, and its speed."""

    under_way: list[int] = field(default_factory=list)  # tokens of their prompts
    paces: deque[float] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))  # seconds for a token
    last_token_at: float = 0.0


class AnswerWaits:
    """The waits for one server, `name`, whose tokens come at most `between_s` seconds after each other.

    A slow server reads the prompts of all requests under way before it answers the last of them. So the limit
    for a first token grows with these prompts: three times the slowest of the last 20 waits for a token of a
    prompt, times the tokens of the prompts under way, and at least `between_s`. Each token that is sent to
    another request starts this wait again; the whole wait is at most `LONGEST` times `between_s`. While the
    speed is unknown, the limit is `between_s` for each prompt under way, for at most three prompts.
    """

    def __init__(self, name: str, between_s: float) -> None:
        self._name, self._between_s = name, between_s
        self._servers = PerLoop(_Server)

    @asynccontextmanager
    async def bounded(self, tokens: int) -> AsyncGenerator[None, None]:
        """Bounds the waits of the request in the `with` block, whose prompt has about `tokens` tokens.

        Raises `CallFailure` where a token does not come in time.
        """
        server = self._servers.get()
        server.under_way.append(tokens)
        wait = _Wait(server, self._between_s)
        outer = _WAIT.set(wait)
        try:
            async with wait.timer:
                wait.watch()
                yield
        except TimeoutError:
            if not wait.timer.expired():
                raise
            late = f"{self._name} gave no answer within {wait.due - wait.began:g} s"
            stalled = f"{self._name} stalled in its answer: no token came for {self._between_s:g} s"
            raise CallFailure("timeout", stalled if wait.token_at else late) from None
        finally:
            wait.end()
            _WAIT.reset(outer)
            server.under_way.remove(tokens)


class _Wait:
    """The wait of one request, sent at `began`. `token_at`: when its last token came; 0: none came yet."""

    def __init__(self, server: _Server, between_s: float) -> None:
        self._server, self._between_s = server, between_s
        self._loop = asyncio.get_running_loop()
        self._watching: asyncio.TimerHandle | None = None
        self._streams = False
        self._prompts = sum(server.under_way)  # tokens that are read before the answer
        self._first_s = self._least_s()
        self.timer = asyncio.timeout(None)
        self.began, self.token_at = self._loop.time(), 0.0

    @property
    def due(self) -> float:
        """The time at which the next token must have come."""
        if not self._streams or self.token_at:
            return (self.token_at or self.began) + self._between_s
        alive = max(self.began, self._server.last_token_at)
        return min(alive + self._first_s, self.began + LONGEST * self._between_s)

    def watch(self) -> None:
        """Ends the request if its next token is late; otherwise looks again when that token is due."""
        due = self.due
        if due > self._loop.time():
            self._watching = self._loop.call_at(due, self.watch)
        else:
            self.timer.reschedule(due)

    def end(self) -> None:
        """Stops watching."""
        if self._watching is not None:
            self._watching.cancel()

    def expect_stream(self) -> None:
        """Waits for tokens from now on, and not for the whole answer."""
        self._streams = True

    def token_arrived(self) -> None:
        """Notes that a token came now. The first token of a request shows how fast the server reads."""
        now = self._loop.time()
        is_first = not self.token_at
        if is_first:
            self._server.paces.append((now - self.began) / max(1, self._prompts))
        self.token_at = self._server.last_token_at = now
        if is_first:  # the wait for the next token is shorter
            self.end()
            self.watch()

    def _least_s(self) -> float:
        """Computes how many seconds the server may be silent before it sends the first token."""
        if not self._server.paces:
            return self._between_s * min(_TOGETHER, len(self._server.under_way))
        return max(self._between_s, _MARGIN * max(self._server.paces) * self._prompts)


_WAIT: ContextVar[_Wait | None] = ContextVar("wait", default=None)


def stream_requested() -> None:
    """Tells the timeout of the current request that its answer will come token by token."""
    if (wait := _WAIT.get()) is not None:
        wait.expect_stream()


def token_arrived() -> None:
    """Tells the timeout of the current request that a token of its answer has come."""
    if (wait := _WAIT.get()) is not None:
        wait.token_arrived()
