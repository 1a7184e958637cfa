"""Asks the language model of a node: takes a prompt, and returns answers as objects of a pydantic class.

`LanguageModel.reply` returns the text of one answer instead, which its caller reads.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from rarr.errors import ModelError, PromptTooLong
from rarr.prompts import Prompt
from rarr.records import ExpectedUsage
from rarr.tools.models.answer_parsing import UnreadableAnswer
from rarr.tools.models.chat import (
    Answer,
    CallFailure,
    ChatRequest,
    Message,
    Sample,
    Tokens,
    estimated_tokens,
)
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from rarr.tools.models.run_budget import answer_memo, meter
from rarr.tools.models.samples import Likely, Shape, read, requested
from rarr.tools.models.stop_reasons import has_begun
from rarr.tools.trace_spans import keep, span

Made = TypeVar("Made")


class Reply(NamedTuple):
    """The text of one answer, which may be cut off. `model` is the name of the model that gave it.

    `served` is the name of the model by which its server answered; empty where that is not known.
    """

    text: str
    cut: bool
    model: str
    served: str


class LanguageModel:
    """Asks the first of `models`; if it fails or its answer cannot be read, asks the next one."""

    def __init__(self, models: Sequence[BudgetedChat], *, max_answer_tokens: int) -> None:
        self.models = models
        self._max_answer_tokens = max_answer_tokens
        self._reasoning: set[str] = set()

    @property
    def name(self) -> str:
        """The name of the first model."""
        return self.models[0].name

    async def ask(self, prompt: Prompt, shape: type[Shape], variables: Mapping[str, str]) -> Shape:
        """Asks for one answer at temperature 0, like `ask_likely`, and returns it without its probability."""
        return (await self.ask_likely(prompt, shape, variables)).answer

    async def ask_likely(
        self, prompt: Prompt, shape: type[Shape], variables: Mapping[str, str]
    ) -> Likely[Shape]:
        """Asks for one answer at temperature 0, with its probability if the prompt wants it.

        An answer of this run, or of this block of a long text, is returned again without a request; a
        question still under way is sent again. Raises `ModelError` if every model failed or no answer could
        be read, and `BudgetError` at a limit of the run.
        """
        user = prompt.render(**variables)
        key, memo = (id(self), prompt.hash, user), answer_memo()
        if key not in memo:
            memo[key] = (await self._traced(prompt, shape, user, samples=1, temperature=0.0))[0]
        likely: Likely[Shape] = memo[key]
        return likely

    async def sample(
        self,
        prompt: Prompt,
        shape: type[Shape],
        variables: Mapping[str, str],
        *,
        samples: int,
        temperature: float,
    ) -> list[Shape]:
        """Asks for several answers at once, and returns those that can be read; raises like `ask_likely`."""
        user = prompt.render(**variables)
        likely = await self._traced(prompt, shape, user, samples=samples, temperature=temperature)
        return [likely_answer.answer for likely_answer in likely]

    async def reply(
        self,
        prompt: Prompt,
        variables: Mapping[str, str],
        *,
        max_tokens: int | None = None,
        seed: int = 0,
    ) -> Reply:
        """Asks for one answer at temperature 0, of at most `max_tokens` tokens, and returns its text unread.

        A text that was cut off is returned too. Where the model was cut off before its answer began, because
        it reasons first, it is asked once more with the setting `max_answer_tokens` as the limit. The memo is
        that of `ask_likely`. `seed` is sent to servers that take it, unless it is 0.

        Raises `PromptTooLong` as soon as a model cannot read the prompt, `ModelError` if every model failed,
        and `BudgetError` at a limit of the run.
        """
        user = prompt.render(**variables)
        key, memo = (id(self), "reply", prompt.hash, user, max_tokens, seed), answer_memo()
        if key not in memo:
            memo[key] = await self._traced_reply(prompt, user, max_tokens, seed)
        reply: Reply = memo[key]
        return reply

    def expected(self, prompt: Prompt, user_tokens: int, output_tokens: int) -> ExpectedUsage:
        """Estimates the usage of one call whose variables have about `user_tokens` tokens."""
        tokens = Tokens(estimated_tokens([prompt.system, prompt.user]) + user_tokens, output_tokens)
        return ExpectedUsage(
            model_calls=1,
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cost=self.models[0].cost(tokens),
        )

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        for model in self.models:
            await model.aclose()

    async def _traced(
        self, prompt: Prompt, shape: type[Shape], user: str, *, samples: int, temperature: float
    ) -> list[Likely[Shape]]:
        keep(prompt)
        with span("ask", prompt.name, prompt=prompt.hash, user=user, temperature=temperature) as asked:
            answers = await self._first_answers(prompt, shape, user, samples=samples, temperature=temperature)
            asked.body["answers"] = [likely.answer.model_dump(mode="json") for likely in answers]
        return answers

    async def _traced_reply(self, prompt: Prompt, user: str, max_tokens: int | None, seed: int) -> Reply:
        ask = replace(self._request(prompt, user), keeps_cut=True, seed=seed)

        async def reply(model: BudgetedChat) -> Reply:
            answer = await self._kept(model, ask, max_tokens)
            return Reply(answer.texts[0], answer.cut, model.name, answer.served)

        keep(prompt)
        with span("ask", prompt.name, prompt=prompt.hash, user=user, temperature=0.0) as asked:
            reply_of_first = await self._first(reply)
            asked.body["answers"] = [reply_of_first.text]
        return reply_of_first

    async def _kept(self, model: BudgetedChat, ask: ChatRequest, max_tokens: int | None) -> Answer:
        """Asks for an answer that may be cut off: once more with all tokens if it was cut before it began."""
        try:
            most = ask.max_tokens if model.name in self._reasoning else max_tokens or ask.max_tokens
            answer = await model.complete(replace(ask, max_tokens=min(most, ask.max_tokens)))
            if answer.cut and most < ask.max_tokens and not has_begun(answer.texts[0]):
                self._reasoning.add(model.name)
                answer = await model.complete(ask)
        except CallFailure as failure:
            if failure.kind == "too_long":
                raise PromptTooLong(str(failure), failure.limit) from None
            raise
        return answer

    def _request(self, prompt: Prompt, user: str) -> ChatRequest:
        messages = (Message("system", prompt.system), Message("user", user))
        named = (prompt.name, prompt.version, prompt.hash)
        return ChatRequest(named, messages, prompt.output, max_tokens=self._max_answer_tokens)

    async def _first_answers(
        self, prompt: Prompt, shape: type[Shape], user: str, *, samples: int, temperature: float
    ) -> list[Likely[Shape]]:
        ask = replace(
            self._request(prompt, user),
            samples=samples,
            temperature=temperature,
            probability=prompt.probability,
        )
        return await self._first(lambda model: self._answers(model, prompt, ask, shape))

    async def _first(self, asked: Callable[[BudgetedChat], Awaitable[Made]]) -> Made:
        """Asks one model after the other, until one does not fail. Raises `ModelError` if all fail."""
        failures: list[str] = []
        for model in self.models:
            try:
                made = await asked(model)
            except (CallFailure, UnreadableAnswer) as failure:
                failures.append(str(failure))
                continue
            # Warn once a run; repeating the warning adds nothing.
            if failures and meter().memo.setdefault((id(self), "replaced"), failures) is failures:
                replaced = f"{model.name} answers in place of {self.name}"
                meter().warn("model_replaced", f"{replaced}: {failures[0]}")
            return made
        raise ModelError("; ".join(failures))

    async def _answers(
        self, model: BudgetedChat, prompt: Prompt, ask: ChatRequest, shape: type[Shape]
    ) -> list[Likely[Shape]]:
        asked, given = await self._samples(model, ask, prompt.tokens)
        return await read(model, prompt, asked, shape, given)

    async def _samples(
        self, model: BudgetedChat, ask: ChatRequest, tokens: int | None
    ) -> tuple[ChatRequest, list[Sample]]:
        """Sends the request with at most `tokens` answer tokens, and returns it as sent with its samples.

        A model that was cut off before its answer started reasons first: from then on, it gets the limit of
        `ask`.
        """
        if tokens is None or tokens >= ask.max_tokens or model.name in self._reasoning:
            return ask, await requested(model, ask)
        bounded = replace(ask, max_tokens=tokens)
        try:
            return bounded, await requested(model, bounded)
        except CallFailure as failure:
            if failure.kind != "cut" or failure.begun:
                raise
        self._reasoning.add(model.name)
        return ask, await requested(model, ask)
