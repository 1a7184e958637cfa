"""Limits how many requests run at the same time, repeats failed requests, and counts requests to models.

The retries of client libraries are switched off. If a server fails three times in a row, it gets no request
for half a minute, so that a run does not wait long for a dead server. A request that timed out is not
repeated: the user may have paid for the answer, and the next request would take as long.
"""

import random
import time
from asyncio import CancelledError, Semaphore
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from rarr.tools import trace_spans
from rarr.tools.concurrency import PerLoop, time_limit, work
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest, Tokens, estimated_tokens
from rarr.tools.models.failures import cleaned_start, without_secrets
from rarr.tools.models.run_budget import meter
from rarr.valid_unicode import valid

FAILURES_IN_A_ROW = 3
REST_S = 30.0
LONGEST_WAIT_S = 60.0  # if a server asks for a longer wait, the request is not repeated
_READ_FOR_TOKEN = 16  # characters that are read for each of `max_tokens`; some servers ignore the limit
_LEAST_READ = 20_000  # characters that are read in any case, since an answer may contain reasoning
_CURES: dict[int | str, str] = {
    "connection": "start its server or fix base_url",
    "timeout": "raise timeout_s, or lower concurrency",
    401: "give its key as api_key",
    403: "give a key that may use it as api_key",
    404: "base_url usually ends in /v1, and the model's name must be the one that its server lists",
    **dict.fromkeys((400, 422), "check the model's name, base_url, and extra in endpoints"),
    429: "lower concurrency, or try again later",
    "declined": "name another model, or add one to fallbacks",
    "spent": "add credit to its account, or name another model",
    "too_long": "name a model with a longer context, or raise that of its server",
}

Made = TypeVar("Made")


class Limiter(PerLoop[WeakValueDictionary[str, Semaphore]]):
    """Lets at most `most` tasks of an event loop work at the same time for a key, such as a server's host."""

    def __init__(self, most: int) -> None:
        super().__init__(WeakValueDictionary)
        self._most = most

    def __call__(self, key: str = "") -> Semaphore:
        """Returns a semaphore: its `async with` waits until fewer than `most` tasks work for `key`."""
        return self.get().setdefault(key, Semaphore(self._most))


class Attempts:
    """Sends requests to one server, and repeats a request if another attempt may succeed.

    After `FAILURES_IN_A_ROW` failures in a row the server "rests": it gets no request for `REST_S` seconds.
    """

    first_wait_s = 0.5

    def __init__(self, name: str, limiter: Limiter, attempts: int) -> None:
        self._name, self._limiter, self._failures, self._rests_until = name, limiter, 0, 0.0
        self._last: CallFailure | None = None
        retry, stop = retry_if_exception(_is_worth_repeating), stop_after_attempt(attempts)
        self._retrying = AsyncRetrying(stop=stop, wait=self._seconds_to_wait, retry=retry, reraise=True)

    async def __call__(self, request: Callable[[], Awaitable[Made]]) -> Made:
        """Calls `request` until an attempt succeeds. Raises the `CallFailure` of the last attempt.

        `request` limits its own time. An error that another attempt cannot cure is raised at once.
        """
        return await self._retrying.copy()(self._attempt, request)

    async def _attempt(self, request: Callable[[], Awaitable[Made]]) -> Made:
        try:
            async with self._limiter():
                with trace_spans.span("request", self._name):
                    made = await self._send_unless_resting(request)
        except Exception:  # the user may have paid for the request; a cancelled request does not wait
            await trace_spans.wait_for_saved_answers()
            raise
        await trace_spans.wait_for_saved_answers()
        return made

    async def _send_unless_resting(self, request: Callable[[], Awaitable[Made]]) -> Made:
        if (rest := self._rests_until - time.monotonic()) > 0:
            message = f"{self._name} is paused for {rest:.0f} s: {self._last}"
            raise CallFailure("resting", message) from self._last
        try:
            made = await request()
        except CallFailure as failure:
            if failure.kind in ("timeout", "connection", "server"):
                self._failures, self._last = self._failures + 1, failure
                if self._failures >= FAILURES_IN_A_ROW:
                    self._rests_until = time.monotonic() + REST_S
            raise
        self._failures, self._rests_until = 0, 0.0
        return made

    def _seconds_to_wait(self, state: RetryCallState) -> float:
        """Returns the seconds before the next attempt: twice as long each time, or as the server asks."""
        failure = state.outcome.exception() if state.outcome else None
        grown = min(self.first_wait_s * 2.0 ** (state.attempt_number - 1), LONGEST_WAIT_S)
        # Requests that failed together are repeated at different times.
        return max(getattr(failure, "retry_after", None) or 0.0, grown) * random.uniform(1.0, 1.25)


def _is_worth_repeating(error: BaseException) -> bool:
    is_passing = isinstance(error, CallFailure) and error.kind in ("connection", "busy", "server")
    return is_passing and (getattr(error, "retry_after", None) or 0.0) <= LONGEST_WAIT_S


class BudgetedChat:
    """Wraps a chat model: repeats failed requests. The meter of the run counts and limits every request.

    `timeout_s` limits one request until its answer is complete. `price` has the prices of a million tokens of
    input, of output and, if it differs, of cached input. `server` is the address of the server, or empty.
    """

    def __init__(
        self,
        chat: ChatModel,
        limiter: Limiter,
        *,
        attempts: int,
        timeout_s: float,
        price: tuple[float, ...] = (),
        key: tuple[str, ...] = (),
    ) -> None:
        """`key` identifies the model and its options in a store of answers. Without a key, stores nothing."""
        self.key = key
        self.name, self.server = valid(chat.name), getattr(chat, "server", None) or ""
        self._chat, self._price, self._timeout_s = chat, price, timeout_s
        self._attempts = Attempts(self.name, limiter, attempts)
        self.aclose = chat.aclose  # closes the connections of the running event loop

    async def complete(self, ask: ChatRequest) -> Answer:
        """Returns the answer. In a resumed run, reuses the answer of the killed run, if there is an answer.

        Raises `CallFailure` after the last attempt, and `BudgetError` at a limit of the run.
        """
        earlier = meter().answers
        if earlier is not None and (answer := earlier(self.name, ask)) is not None:
            return answer
        async with meter().in_time():
            try:
                return await self._attempts(lambda: self._request(ask))
            except CallFailure as failure:
                if (cure := cure_of(failure)) and cure not in str(failure):
                    failure.args = (f"{failure}; {cure}",)
                raise failure from None

    def cost(self, tokens: Tokens) -> float | None:
        """Returns the cost in the unit of the price: 0 for no tokens, None if the model has no price."""
        if not self._price or not any(tokens):
            return None if any(tokens) else 0.0
        whole, answer, cached = (*self._price, self._price[0])[:3]
        fresh = tokens.input - tokens.cached
        return (fresh * whole + tokens.cached * cached + tokens.output * answer) / 1_000_000

    async def probe(self) -> str:
        """Checks the model if this costs nothing. Returns the result in words, or raises `CallFailure`."""
        probe = getattr(self._chat, "probe", None)
        return await probe() if probe else "set up; not asked, since a request would cost money"

    async def _request(self, ask: ChatRequest) -> Answer:
        """Sends one request, and counts its tokens and cost before it returns or raises."""
        sent = estimated_tokens([message.content for message in ask.messages])
        expected = Tokens(sent, ask.expected * ask.samples)
        with meter().request(expected.input + expected.output, self.cost(expected) or 0.0):
            answer, tokens, told, facts = Answer((), Tokens()), Tokens(), "", dict[str, Any]()
            cut_off = f"{self.name} was cut off before it answered: the tokens of its prompt are estimated"
            try:
                late = f"{self.name} gave no answer within {self._timeout_s:g} s"
                async with time_limit(self._timeout_s, lambda: CallFailure("timeout", late)):
                    given = await self._chat.complete(ask)
                tokens = given.tokens
                if not any(tokens):
                    told = f"{self.name} does not report its tokens: they are estimated"
                    tokens = Tokens(sent, estimated_tokens(given.texts))
                secrets = tuple(getattr(self._chat, "secrets", ()))  # may differ by event loop
                answer = await work(_cleaned_answer, given, ask.max_tokens, secrets)
                facts = {"cut": answer.cut, "served": answer.served}
                return answer
            except CancelledError:
                if not any(tokens):  # no answer came, but the request may have to be paid for
                    tokens, told = Tokens(sent), cut_off
                raise
            except CallFailure as failure:
                tokens, answer = failure.tokens, Answer((), failure.tokens)
                if failure.kind == "timeout" and not failure.status:
                    tokens, told = Tokens(sent), cut_off
                facts = {"failure": failure.kind, "answer": failure.said}
                facts |= {"status": failure.status, "retry_after": failure.retry_after}
                raise
            finally:
                if told:
                    meter().warn("usage_estimated", told)
                meter().spend(tokens, cost := self.cost(tokens))
                facts["more"] = [list(message) for message in ask.messages[2:]]
                facts = {name: value for name, value in facts.items() if value}
                facts |= {"samples": ask.samples, "max_tokens": ask.max_tokens, "texts": answer.texts}
                trace_spans.current_body().update(facts, tokens=tokens, said=answer.tokens, cost=cost)


def cure_of(failure: CallFailure) -> str | None:
    """Returns advice how to avoid the failure, by its kind or HTTP status; None if there is no advice."""
    reason = failure.__cause__ if isinstance(failure.__cause__, CallFailure) else failure
    return _CURES.get(reason.kind) or _CURES.get(reason.status or 0)


def _cleaned_answer(answer: Answer, max_tokens: int, secrets: Sequence[str]) -> Answer:
    """Returns the answer with valid Unicode and without API keys, cut to a length that is parsed quickly."""
    most = max(_LEAST_READ, _READ_FOR_TOKEN * max_tokens)

    def clean(text: str) -> str:
        return valid(cleaned_start(text, most, lambda part: without_secrets(part, secrets)))

    cut = answer.cut or any(len(text) > most for text in answer.texts)
    return replace(answer, texts=tuple(map(clean, answer.texts)), cut=cut, served=clean(answer.served))
