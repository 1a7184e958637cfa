"""Asks the language model of a node: takes a prompt, and returns answers as objects of a pydantic class."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from pydantic import BaseModel

from rarr.errors import BudgetError, ModelError
from rarr.prompts import Prompt
from rarr.records import ExpectedUsage
from rarr.tools.concurrency.together import together
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.answer_parsing import UnreadableAnswer, read_answer
from rarr.tools.models.chat import (
    NO_TOKENS,
    CallFailure,
    ChatRequest,
    Message,
    Sample,
    Tokens,
    estimated_tokens,
)
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from rarr.tools.models.run_budget import answer_memo, meter
from rarr.tools.trace_spans import keep, span

Shape = TypeVar("Shape", bound=BaseModel)

_QUOTE = 80  # characters of an unreadable answer that are quoted


class Likely(NamedTuple, Generic[Shape]):
    """An answer, and its probability from 0 to 1 as the server reports it; None if it reports none.

    `model` is the name of the model that answered, which may be a fallback.
    """

    answer: Shape
    probability: float | None
    model: str


class Reply(NamedTuple):
    text: str
    cut: bool
    model: str
    served: str


@runtime_checkable
class ReadsFreeText(Protocol):
    """A class of answers that can also be read from text, which models without JSON write."""

    @classmethod
    def of_free_text(cls, text: str) -> Self | None:
        """Reads the answer; None if the text is none, or is broken JSON."""


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

    @property
    def measured(self) -> bool:
        """True if the speed of the first model was measured."""
        return self.models[0].seconds(NO_TOKENS) is not None

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

    async def reply(
        self, prompt: Prompt, variables: Mapping[str, str], *, max_tokens: int | None = None
    ) -> "Reply":
        user = prompt.render(**variables)
        keep(prompt)
        with span("ask", prompt.name, prompt=prompt.hash, user=user, temperature=0.0) as asked:
            messages = (Message("system", prompt.system), Message("user", user))
            named = (prompt.name, prompt.version, prompt.hash)
            ask = ChatRequest(named, messages, prompt.output, 1, 0.0, max_tokens or self._max_answer_tokens)
            try:
                answer = await self.models[0].complete(ask)
            except CallFailure as failure:
                raise ModelError(str(failure)) from None
            asked.body["answers"] = list(answer.texts)
        return Reply(answer.texts[0], False, self.name, self.name)

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

    def expected(self, prompt: Prompt, user_tokens: int, output_tokens: int) -> ExpectedUsage:
        """Estimates the usage of one call whose variables have about `user_tokens` tokens."""
        tokens = Tokens(estimated_tokens([prompt.system, prompt.user]) + user_tokens, output_tokens)
        return ExpectedUsage(
            model_calls=1,
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cost=self.models[0].cost(tokens),
            model_seconds=self.models[0].seconds(tokens),
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

    async def _first_answers(
        self, prompt: Prompt, shape: type[Shape], user: str, *, samples: int, temperature: float
    ) -> list[Likely[Shape]]:
        messages = (Message("system", prompt.system), Message("user", user))
        named = (prompt.name, prompt.version, prompt.hash)
        ask = ChatRequest(
            named, messages, prompt.output, samples, temperature, self._max_answer_tokens, prompt.probability
        )
        failures: list[str] = []
        for model in self.models:
            try:
                answers = await self._answers(model, prompt, ask, shape)
            except (CallFailure, UnreadableAnswer) as failure:
                failures.append(str(failure))
                continue
            # Warn once a run; repeating the warning adds nothing.
            if failures and meter().memo.setdefault((id(self), "replaced"), failures) is failures:
                replaced = f"{model.name} answers in place of {self.name}"
                meter().warn("model_replaced", f"{replaced}: {failures[0]}")
            return answers
        raise ModelError("; ".join(failures))

    async def _answers(
        self, model: BudgetedChat, prompt: Prompt, ask: ChatRequest, shape: type[Shape]
    ) -> list[Likely[Shape]]:
        asked, given = await self._samples(model, ask, prompt.tokens)
        return await _read(model, prompt, asked, shape, given)

    async def _samples(
        self, model: BudgetedChat, ask: ChatRequest, tokens: int | None
    ) -> tuple[ChatRequest, list[Sample]]:
        """Sends the request with at most `tokens` answer tokens, and returns it as sent with its samples.

        A model that was cut off before its answer started reasons first: from then on, it gets the limit of
        `ask`.
        """
        if tokens is None or tokens >= ask.max_tokens or model.name in self._reasoning:
            return ask, await _samples(model, ask)
        bounded = replace(ask, max_tokens=tokens)
        try:
            return bounded, await _samples(model, bounded)
        except CallFailure as failure:
            if failure.kind != "cut" or failure.begun:
                raise
        self._reasoning.add(model.name)
        return ask, await _samples(model, ask)


async def _samples(model: BudgetedChat, ask: ChatRequest) -> list[Sample]:
    """Sends the request. Samples that the server left out are requested one by one, at the same time.

    If all samples were cut off, requests one sample of twice the length.
    """
    try:
        samples = (await model.complete(ask)).samples
    except CallFailure as failure:
        if failure.kind != "cut":
            raise
        longer = replace(ask, samples=1, max_tokens=2 * ask.max_tokens)
        return (await model.complete(longer)).samples
    missing = ask.samples - len(samples)
    outcomes = await together(*(_one_more(model, replace(ask, samples=1)) for _ in range(missing)))
    return samples + [sample for outcome in outcomes for sample in outcome]


async def _one_more(model: BudgetedChat, ask: ChatRequest) -> list[Sample]:
    """Requests one more sample; if that fails, warns and returns []."""
    try:
        return (await model.complete(ask)).samples
    except (CallFailure, BudgetError) as error:
        meter().warn("sample_missing", f"a sample of {ask.name} is missing: {error}")
        return []


async def _read(
    model: BudgetedChat, prompt: Prompt, ask: ChatRequest, shape: type[Shape], samples: Sequence[Sample]
) -> list[Likely[Shape]]:
    """Parses the samples and returns the readable answers. If there are none, asks the model once more.

    Its answer and the problem are quoted like a variable: evidence may have put marks of the prompt there.
    Raises `UnreadableAnswer` if the second answer cannot be read either.
    """
    answers, problems = await work(_readable, samples, shape, model.name)
    if not answers:
        answer, problem = (prompt.quoted(text).shown for text in (samples[0].text, problems[0]))
        complaint = f"That could not be read: {problem}. Answer with one JSON object and nothing else."
        retry_messages = (Message("assistant", answer or "(nothing)"), Message("user", complaint))
        again = replace(
            ask, messages=(*ask.messages, *retry_messages), samples=1, max_tokens=2 * ask.max_tokens
        )
        samples = (await model.complete(again)).samples
        answers, problems = await work(_readable, samples, shape, model.name)
    if not answers:
        quote = " ".join(samples[0].text.split())[:_QUOTE]
        if "cut off" in problems[0]:
            problems[0] += ", perhaps at max_answer_tokens"
        raise UnreadableAnswer(f"the answer of {model.name} cannot be read ({problems[0]}): {quote!r}")
    return answers


def _readable(
    samples: Sequence[Sample], shape: type[Shape], model: str
) -> tuple[list[Likely[Shape]], list[str]]:
    answers, problems = [], []
    for sample in samples:
        try:
            answers.append(Likely(read_answer(sample.text, shape), sample.probability, model))
        except UnreadableAnswer as problem:
            free = shape.of_free_text(sample.text) if issubclass(shape, ReadsFreeText) else None
            if free is None:
                problems.append(str(problem))
            else:
                answers.append(Likely(free, sample.probability, model))
    return answers, problems
