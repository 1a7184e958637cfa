"""Requests samples of an answer, and reads them: what is missing or unreadable is requested once more."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from pydantic import BaseModel

from rarr.errors import BudgetError
from rarr.prompts import Prompt
from rarr.tools.concurrency import together, work
from rarr.tools.models.answer_parsing import UnreadableAnswer, read_answer
from rarr.tools.models.chat import CallFailure, ChatRequest, Message, Sample
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from rarr.tools.models.run_budget import meter

Shape = TypeVar("Shape", bound=BaseModel)

_QUOTE = 80  # characters of an unreadable answer that are quoted


class Likely(NamedTuple, Generic[Shape]):
    """An answer, and its probability from 0 to 1 as the server reports it; None if it reports none.

    `model` is the name of the model that answered, which may be a fallback.
    """

    answer: Shape
    probability: float | None
    model: str


@runtime_checkable
class ReadsFreeText(Protocol):
    """A class of answers that can also be read from text, which models without JSON write."""

    @classmethod
    def of_free_text(cls, text: str) -> Self | None:
        """Reads the answer; None if the text is none, or is broken JSON."""


async def requested(model: BudgetedChat, ask: ChatRequest) -> list[Sample]:
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


async def read(
    model: BudgetedChat, prompt: Prompt, ask: ChatRequest, shape: type[Shape], samples: Sequence[Sample]
) -> list[Likely[Shape]]:
    """Parses the samples and returns the readable answers. If there are none, asks the model once more.

    Its answer and the problem are quoted like a variable: evidence may have put marks of the prompt there.
    Raises `UnreadableAnswer` if the second answer cannot be read either.
    """
    answers, problems = await work(readable, samples, shape, model.name)
    if not answers:
        answer, problem = (prompt.quoted(text).shown for text in (samples[0].text, problems[0]))
        complaint = f"That could not be read: {problem}. Answer with one JSON object and nothing else."
        retry_messages = (Message("assistant", answer or "(nothing)"), Message("user", complaint))
        again = replace(
            ask, messages=(*ask.messages, *retry_messages), samples=1, max_tokens=2 * ask.max_tokens
        )
        samples = (await model.complete(again)).samples
        answers, problems = await work(readable, samples, shape, model.name)
    if not answers:
        quote = " ".join(samples[0].text.split())[:_QUOTE]
        if "cut off" in problems[0]:
            problems[0] += ", perhaps at max_answer_tokens"
        raise UnreadableAnswer(f"the answer of {model.name} cannot be read ({problems[0]}): {quote!r}")
    return answers


def readable(
    samples: Sequence[Sample], shape: type[Shape], model: str
) -> tuple[list[Likely[Shape]], list[str]]:
    """Parses the samples; returns the answers, and the problem of each sample that cannot be read."""
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
