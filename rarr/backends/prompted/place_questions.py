"""A question for each place that the rules find in a text, in the words of a model.

The rules find every value, but ask in the words of the sentence. A model asks as people do, names what a
pronoun stands for, and so finds other passages. A model that is asked for all questions of a text at once
leaves out most values if it is small.
"""

import re
from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import SENTENCE_TOKENS, Prompts
from rarr.backends.prompted.questions import QUESTION_TOKENS, PromptedQuestions
from rarr.components import QueryGenerator
from rarr.errors import ModelError
from rarr.records import ModelUsage, Question
from rarr.tools.concurrency.together import together
from rarr.tools.concurrency.worker import work
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.models.meter import meter
from rarr.tools.text.document import Span, sentences

_BEFORE = 2  # sentences before the sentence, by which its pronouns can be read


class QuestionAnswer(BaseModel):
    """The model's answer."""

    question: str


class PlaceQuestions:
    """Asks the model for one question about each place. A question that says its own answer is not used."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, *, places: QueryGenerator, later: PromptedQuestions
    ) -> None:
        """`places` finds the places, with a question of its own each; `later` asks in later rounds."""
        self._model, self._prompts, self._places, self._later = model, prompts, places, later

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """The usage for a whole text, with two places in a sentence."""
        places = 2 * len(sentences(text))
        one = self._model.expected(self._prompts["write_question"], 4 * SENTENCE_TOKENS, QUESTION_TOKENS)
        return ModelUsage(
            model_calls=places,
            input_tokens=places * one.input_tokens,
            output_tokens=places * one.output_tokens,
            cost=None if one.cost is None else places * one.cost,
        )

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Questions in text order. A warning says where the model wrote none; there the rules' stands."""
        by_rules = await self._places.generate(text, context)
        written = await together(*(self._written(text, context, question) for question in by_rules))
        failures = [failure for _, failure in written if failure]
        if failures:
            meter().warn(
                "questions_missing",
                f"the rules ask about {len(failures)} of {len(by_rules)} places, since the model could not:"
                f" {failures[0]}",
            )
        return [question for question, _ in written]

    async def target(
        self, text: str, context: str | None, spans: Sequence[Span], asked: Sequence[str]
    ) -> Sequence[Question]:
        """The model's questions about sentences; a whole sentence may be asked about if it has no value."""
        return await self._later.target(text, context, spans, asked)

    async def _written(self, text: str, context: str | None, question: Question) -> tuple[Question, str]:
        """The model's question about the place, and why it wrote none."""
        marked = await work(marked_sentence, text, context, question)
        if marked is None:
            return question, ""
        around, sentence = marked
        variables = {"text": around, "sentence": sentence}
        try:
            answer = await self._model.ask(self._prompts["write_question"], QuestionAnswer, variables)
        except ModelError as error:
            return question, str(error)
        words = " ".join(answer.question.split())
        value = text[question.start : question.end]
        return (
            question if not words or _says(words, value) else question.model_copy(update={"text": words})
        ), ""


def marked_sentence(text: str, context: str | None, question: Question) -> tuple[str, str] | None:
    """The text around the sentence of the place, and the sentence with the place in double brackets.

    None where the place is in no sentence. The text around it has the context, the first heading, and the
    sentences before.
    """
    spans = sentences(text)
    number = next(
        (n for n, span in enumerate(spans) if span.start <= question.start and question.end <= span.end), None
    )
    if number is None:
        return None
    span = spans[number]
    heading = next((line for line in text.splitlines() if line.startswith("#")), "")
    before = " ".join(earlier.of(text) for earlier in spans[max(0, number - _BEFORE) : number])
    around = "\n".join(part for part in (context or "", heading, f"{before} {span.of(text)}".strip()) if part)
    start, end = question.start, question.end
    return around, f"{text[span.start : start]}[[{text[start:end]}]]{text[end : span.end]}"


def _says(question: str, value: str) -> bool:
    words = r"\s+".join(map(re.escape, value.split()))
    return bool(re.search(rf"(?<!\w){words}(?!\w)", question, re.IGNORECASE))
