"""Sends requests to a chat model, with retries and within the run's budget, and counts them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rarr.tools.concurrency import work
from rarr.tools.models.chat import Answer, CallFailure, ChatModel, ChatRequest, Tokens, estimated_tokens
from rarr.tools.models.failures import bounded, without_keys
from rarr.tools.models.retries import Attempts, Limiter, in_time
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import note
from rarr.valid_unicode import valid

_CURES: dict[int | str, str] = {
    "connection": "start its server or fix base_url",
    "timeout": "raise timeout_s, or lower concurrency",
    401: "give its key as api_key",
    403: "give a key that may use it as api_key",
    404: "base_url usually ends in /v1, and the model's name must be the one that its server lists",
    429: "lower concurrency, or raise attempts",
    "declined": "name another model, or add one to fallbacks",
}
LONGEST_TOKEN = 16
"""Characters of an answer for each of its `max_tokens`: a server that ignores the limit sends more."""
_LEAST = 20_000  # characters that are read of any answer: reasoning may stand beside it


def cure_of(failure: CallFailure) -> str | None:
    """Finds the cure of a failure by its status or kind; `BudgetedChat` adds it to the message."""
    reason = failure.__cause__ if isinstance(failure.__cause__, CallFailure) else failure
    return _CURES.get(reason.status or reason.kind)


class BudgetedChat:
    """Wraps a chat model: repeats failed requests, and lets the run's meter count and limit every request.

    `timeout_s` is for one request, until its answer is complete. `price` is for a million tokens: input,
    output and, where it differs, cached input. `server` is the address of the model's server, empty if that
    is not known.
    """

    def __init__(
        self,
        chat: ChatModel,
        limiter: Limiter,
        *,
        attempts: int,
        timeout_s: float,
        price: tuple[float, ...] = (),
        first_wait_s: float = 0.5,
    ) -> None:
        self.name, self.server = valid(chat.name), (getattr(chat, "server", None) or "").rstrip("/")
        self._chat, self._price, self._timeout_s = chat, price, timeout_s
        self._attempts = Attempts(
            self.name,
            limiter,
            attempts=attempts,
            first_wait_s=first_wait_s,
            rests_after=("timeout", "connection", "server"),
        )

    async def complete(self, ask: ChatRequest) -> Answer:
        """Returns the answer. A resumed run takes the answers of its first part, without a request.

        Raises `CallFailure` after the last attempt, and `BudgetError` at a limit of the run.
        """
        earlier = meter().answers
        if earlier is not None and (answer := earlier(self.name, ask)) is not None:
            return answer
        async with meter().in_time():
            try:
                return await self._attempts(lambda: self._request(ask))
            except CallFailure as failure:
                cure = cure_of(failure)
                raise (failure.worded(f"{failure}; {cure}") if cure else failure) from None

    def cost(self, tokens: Tokens) -> float | None:
        """Computes the cost in the unit of the price; 0 without tokens, otherwise None without a price."""
        if not any(tokens):
            return 0.0
        if not self._price:
            return None
        whole, answer, cached = (*self._price, self._price[0])[:3]
        fresh = tokens.input - tokens.cached
        return (fresh * whole + tokens.cached * cached + tokens.output * answer) / 1_000_000

    async def probe(self) -> str:
        """Checks that the model can be used, if that is free, and returns the result in words.

        Raises `CallFailure` if the check fails.
        """
        probe = getattr(self._chat, "probe", None)
        return await probe() if probe else "set up; not asked, since a request would cost money"

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._chat.aclose()

    async def _request(self, ask: ChatRequest) -> Answer:
        """Sends one request, and counts its tokens and cost before it returns or raises."""
        sent = estimated_tokens([message.content for message in ask.messages])
        expected = Tokens(sent, ask.expected * ask.samples)
        with meter().request(expected.input + expected.output, self.cost(expected) or 0.0):
            answer, tokens, facts = Answer((), Tokens()), Tokens(), dict[str, Any]()
            try:
                late = f"{self.name} gave no answer within {self._timeout_s:g} s"
                given = await in_time(self._chat.complete(ask), self._timeout_s, late)
                tokens = self._used(given, sent)
                secrets = tuple(getattr(self._chat, "secrets", ()))  # of this event loop
                answer = await work(_cleaned, given, ask.max_tokens, secrets)
                facts = {"cut": answer.cut, "served": answer.served}
                return answer
            except CallFailure as failure:
                tokens, facts = failure.tokens, _facts(failure)
                answer = Answer((), tokens)
                raise
            finally:
                meter().spend(tokens, cost := self.cost(tokens))
                facts["more"] = [list(message) for message in ask.messages[2:]]
                note(
                    samples=ask.samples,
                    max_tokens=ask.max_tokens,
                    texts=answer.texts,
                    tokens=tokens,
                    said=answer.tokens,
                    cost=cost,
                    **{name: value for name, value in facts.items() if value},
                )

    def _used(self, answer: Answer, sent: int) -> Tokens:
        """Returns the tokens that the server reports; if it reports none, estimates them and warns."""
        if any(answer.tokens):
            return answer.tokens
        meter().warn("usage_estimated", f"{self.name} does not report its tokens: they are estimated")
        return Tokens(sent, estimated_tokens(answer.texts))


def _cleaned(answer: Answer, max_tokens: int, secrets: Sequence[str]) -> Answer:
    """Makes the answer valid Unicode, without API keys, which a server may repeat, and of bounded length.

    A text that is many times as long as the request allows is cut off: reading megabytes takes seconds.
    """
    most = max(_LEAST, LONGEST_TOKEN * max_tokens)

    def clean(text: str) -> str:
        return valid(bounded(text, most, lambda part: without_keys(part, secrets)))

    cut = answer.cut or any(len(text) > most for text in answer.texts)
    return replace(answer, texts=tuple(map(clean, answer.texts)), cut=cut, served=clean(answer.served))


def _facts(failure: CallFailure) -> dict[str, Any]:
    return {
        "failure": failure.kind,
        "status": failure.status,
        "retry_after": failure.retry_after,
        "answer": failure.said,
        "limit": failure.limit,
    }
