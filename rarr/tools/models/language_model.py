"""Asks a language model: takes a prompt, and returns answers as objects of a pydantic class, the `shape`.

`LanguageModel.reply` returns the text of an answer instead, and the caller parses the text.
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from rarr.errors import BudgetError, ModelError, PromptTooLong
from rarr.prompts import Prompt
from rarr.tools.concurrency import together, work
from rarr.tools.guard.quotation import quotation_of, render_quoted
from rarr.tools.models.answer_parsing import UnreadableAnswer, read_answer, without_reasoning
from rarr.tools.models.chat import EXPECTED_TOKENS, Answer, CallFailure, ChatRequest, Message, Tokens
from rarr.tools.models.retries import BudgetedChat
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import current_body, record_prompt, span

Variables = Mapping[str, str]
Made = TypeVar("Made", bound=BaseModel | Answer)
Shape = TypeVar("Shape", bound=BaseModel)
_Attempt = tuple[list[Made], int, str]  # the answers, how many parts are missing in them, and why

_LONGEST_QUOTE = 80  # characters of an unreadable answer in an error message


class AnswerStore(Protocol):
    """The interface of a store for answers of models. `kind` and `key` (a JSON list) identify an answer."""

    async def kept_value(self, kind: str, key: Sequence[Any]) -> Any:
        """Returns the value stored under `kind` and `key`; None if no value is stored there."""

    async def keep(self, kind: str, key: Sequence[Any], value: Any) -> None:
        """Stores `value` under `kind` and `key`."""


class LanguageModel:
    """Asks the first of `models`. If the model fails or its answer cannot be read, asks the next model.

    `name` is the name of the first model. If a run asks the same question again, it gets the same answer
    without a new request, provided that the first request has finished. All methods that ask raise
    `ModelError` if every model failed or no answer could be read, and `BudgetError` at a limit of the run.
    """

    def __init__(self, models: Sequence[BudgetedChat], *, max_answer_tokens: int) -> None:
        self.models, self.name = models, models[0].name
        self._max_answer_tokens = max_answer_tokens
        self._reasoning_models: set[str] = set()

    async def ask(self, prompt: Prompt, shape: type[Shape], variables: Variables) -> Shape:
        """Asks for one answer at temperature 0, and returns the answer as an object of the class `shape`."""
        ask = self._request(prompt, variables)
        return await self._ask_once(ask, (), lambda: self._parsed_answers(prompt, shape, ask))

    async def sample(
        self, prompt: Prompt, shape: type[Shape], variables: Variables, *, samples: int, temperature: float
    ) -> list[Shape]:
        """Asks for `samples` new answers, and returns the answers that can be read."""
        ask = self._request(prompt, variables, samples=samples, temperature=temperature)
        return await self._parsed_answers(prompt, shape, ask)

    async def reply(
        self,
        prompt: Prompt,
        variables: Variables,
        *,
        max_tokens: int | None = None,
        seed: int = 0,
        store: AnswerStore | None = None,
        problem_of: Callable[[Answer], tuple[int, str]] | None = None,
    ) -> Answer:
        """Asks for one answer at temperature 0, of at most `max_tokens` tokens. Does not parse its text.

        The text may be cut off. If the `store` has an answer, returns that answer, with an empty `served`.
        The caller may put a new answer into the store, under the answer's `key`. `problem_of` returns how
        many parts of an answer are missing, and why. If parts are missing, asks the next model too, and
        returns the fullest answer. Without `problem_of`, raises `PromptTooLong` if the prompt is too long.
        """
        most = min(max_tokens or self._max_answer_tokens, self._max_answer_tokens)
        ask = self._request(prompt, variables, seed=seed, expected=max(EXPECTED_TOKENS, most // 3))

        async def ask_text(model: BudgetedChat) -> _Attempt[Answer]:
            key = (*model.key, model.server, prompt.hash, ask.messages[1].content, seed) if model.key else ()
            if store and key and isinstance(text := await store.kept_value("answer", key), str):
                meter().add_usage(saved_calls=1)
                current_body()["saved"] = model.name
                return [Answer((text,), Tokens(), model=model.name)], 0, ""
            try:
                _, answer = await self._answer_within(model, ask, most)
            except CallFailure as failure:
                if failure.kind == "too_long" and problem_of is None:
                    raise PromptTooLong(str(failure)) from None
                raise
            answer = replace(answer, served=answer.served or model.name, key=key, model=model.name)
            return [answer], *(await work(problem_of, answer) if problem_of else (0, ""))

        return await self._ask_once(ask, (max_tokens, seed), lambda: self._ask_models(prompt, ask, ask_text))

    async def aclose(self) -> None:
        """Closes the connections of the running event loop."""
        for model in self.models:
            await model.aclose()

    def _request(self, prompt: Prompt, variables: Variables, **options: Any) -> ChatRequest:
        messages = (Message("system", prompt.system), Message("user", render_quoted(prompt, variables)))
        most = self._max_answer_tokens
        return ChatRequest(prompt.name, prompt.hash, messages, prompt.output, max_tokens=most, **options)

    async def _ask_once(
        self, ask: ChatRequest, options: Hashable, make: Callable[[], Awaitable[list[Made]]]
    ) -> Made:
        key, memo = (id(self), ask.prompt_hash, ask.messages[1].content, options), meter().memo
        if key not in memo:
            memo[key] = await make()
        return memo[key][0]  # type: ignore[no-any-return]  # the memo holds answers of all shapes

    async def _answer_within(
        self, model: BudgetedChat, ask: ChatRequest, most: int | None
    ) -> tuple[ChatRequest, Answer]:
        """Asks for answers of at most `most` tokens. Returns the last request that was sent, and its answer.

        A model that reasons before its answer may reach this limit before its JSON begins. Then asks again
        with the larger limit `ask.max_tokens`. All later requests to this model have the larger limit too.
        """
        if most is not None and most < ask.max_tokens and model.name not in self._reasoning_models:
            bounded = replace(ask, max_tokens=most)
            answer = await model.complete(bounded)
            if not answer.cut or any(map(_has_json, answer.texts)):
                return bounded, answer
            self._reasoning_models.add(model.name)
        return ask, await model.complete(ask)

    async def _parsed_answers(self, prompt: Prompt, shape: type[Shape], ask: ChatRequest) -> list[Shape]:
        """Asks for answers and parses them. If no answer can be read, asks the same model once more."""

        async def ask_parsed(model: BudgetedChat) -> _Attempt[Shape]:
            sent, answer = await self._answer_within(model, ask, prompt.tokens)
            # Some servers give one answer for each request. With the same seed, they would repeat the answer.
            missing = range(len(answer.texts), ask.samples)
            more = await together(*(model.complete(replace(sent, samples=1, seed=it)) for it in missing))
            answer = replace(answer, texts=sum((other.texts for other in more), answer.texts))
            answers, problem = await work(_parse_texts, answer, shape)
            if not answers:
                answer = await model.complete(_request_after_unreadable(prompt, sent, answer, problem))
                answers, problem = await work(_parse_texts, answer, shape)
            if not answers:
                quote = " ".join(answer.texts[0].split())[:_LONGEST_QUOTE]
                cure = "; raise max_answer_tokens" if answer.cut else ""
                unread = f"the answer of {model.name} cannot be read ({problem}{cure}): {quote!r}"
                raise UnreadableAnswer(unread)
            return answers, 0, ""

        return await self._ask_models(prompt, ask, ask_parsed)

    async def _ask_models(
        self, prompt: Prompt, ask: ChatRequest, asked: Callable[[BudgetedChat], Awaitable[_Attempt[Made]]]
    ) -> list[Made]:
        """Calls `asked` for model after model until no part is missing. Raises `ModelError` if all fail."""
        record_prompt(prompt)
        failures, user = list[str](), ask.messages[1].content
        given = list[tuple[int, BudgetedChat, list[Made]]]()
        with span("ask", prompt.name, prompt=prompt.hash, user=user, temperature=ask.temperature) as asking:
            for model in self.models:
                try:
                    made, missing, problem = await asked(model)
                    given.append((missing, model, made))
                    if not missing:
                        break
                except (BudgetError, CallFailure, UnreadableAnswer) as failure:
                    if isinstance(failure, BudgetError) and not given:
                        raise  # otherwise, returns the answer that was paid for
                    problem = str(failure)
                failures.append(problem)
            if not given:
                raise ModelError("; ".join(failures))
            _, model, made = min(given, key=lambda it: it[0])  # `min` prefers the first model
            asking.body["answers"] = [
                it.model_dump(mode="json") if isinstance(it, BaseModel) else it.texts[0] for it in made
            ]
            how = f"in place of {self.name}"
            if model is self.models[0]:  # the caller reports the problem of the first model
                how, failures = "in part", failures[1:]
            # Warns once in a run; repeating the warning would add nothing.
            if failures and meter().memo.setdefault((id(self), how), failures) is failures:
                meter().warn("model_replaced", f"{model.name} answers {how}: {failures[0]}")
            return made


def _has_json(text: str) -> bool:
    try:
        return "{" in without_reasoning(text)
    except UnreadableAnswer:
        return False


def _parse_texts(answer: Answer, shape: type[Shape]) -> tuple[list[Shape], str]:
    answers, problems = list[Shape](), list[str]()
    for text in answer.texts:
        try:
            answers.append(read_answer(text, shape, cut=answer.cut))
        except UnreadableAnswer as problem:
            problems.append(str(problem))
    return answers, next(iter(problems), "")


def _request_after_unreadable(prompt: Prompt, sent: ChatRequest, answer: Answer, problem: str) -> ChatRequest:
    """Makes the next request after an unreadable answer, with twice as many tokens for the next answer.

    Unless the first answer was cut off, the request shows this answer and the problem. Both are quoted like
    a variable of the prompt, since they may repeat evidence that looks like a part of the prompt.
    """
    again = replace(sent, samples=1, max_tokens=2 * sent.max_tokens)
    if answer.cut:
        return again
    wrong, reason = (quotation_of(prompt, text).shown for text in (answer.texts[0], problem))
    complaint = f"That could not be read: {reason}. Answer with one JSON object and nothing else."
    retry = (Message("assistant", wrong or "(nothing)"), Message("user", complaint))
    return replace(again, messages=(*sent.messages, *retry))
