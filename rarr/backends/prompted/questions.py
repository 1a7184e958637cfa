"""Makes the queries of a run: questions by a language model (Gao et al. 2023, 3.1), or its sentences."""

import asyncio
import re
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel
from rapidfuzz import fuzz

from rarr.backends.prompted.prompts import NOTHING, Prompts, of_written
from rarr.components import Lacking
from rarr.errors import RarrError
from rarr.prompts import Prompt
from rarr.records import ExpectedUsage, Question
from rarr.tools.concurrency import work
from rarr.tools.guard.quotation import Quotation, quoted
from rarr.tools.models.chat import estimated_tokens
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences, table_cells

SEEN = 4000  # characters of what was found before
PART = 6000  # characters of a long text in one call
TEMPERATURE = 0.7  # of the questions (Gao et al. 2023, section 3.2)
QUESTION_TOKENS = 35  # of one question in an answer
TOKENS_ASKED = 8  # tokens of all questions for each token of the text, at most
ALIKE = 85  # of 100: least similarity of two questions about a sentence that count as duplicates


class GeneratedQuestion(BaseModel):
    """A question, and the words of the text that it is about."""

    question: str
    about: str = ""


class QuestionsAnswer(BaseModel):
    """The model's answer: questions about a text."""

    questions: list[GeneratedQuestion]


class PromptedQuestions:
    """A query generator that asks a language model for questions about every part of a text."""

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        *,
        samples: int,
        temperature: float = TEMPERATURE,
        merging: bool = True,
    ) -> None:
        """`merging`: keep one question about the same words; else all questions with different words."""
        self._model, self._prompts = model, prompts
        self._samples, self._temperature = samples, temperature
        self._united = distinct_questions if merging else different_questions

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage for a whole text, with one question for each sentence and sample."""
        prompt = self._prompts["generate_queries"]
        spans = text_parts(text)
        call = self._model.expected(prompt, 0, 0)
        answered = self._samples * QUESTION_TOKENS * len(sentences(text))
        asked = estimated_tokens([text]) + (len(spans) - 1) * call.input_tokens
        whole = self._model.expected(prompt, asked + estimated_tokens([context or ""]), answered)
        return whole.model_copy(update={"model_calls": len(spans)})

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Asks for questions about all parts at once; returns them in text order, without near-duplicates.

        A part of the text that fails is left out with a warning. If all parts fail, raises the first
        failure.
        """
        spans = await work(text_parts, text)
        results = await asyncio.gather(
            *(self._about(text, part, context) for part in spans), return_exceptions=True
        )
        failures = [result for result in results if isinstance(result, BaseException)]
        for failure in failures:
            if len(failures) == len(spans) or not isinstance(failure, RarrError):
                raise failure
            meter().warn("questions_missing", f"a part of the text could not be asked about: {failure}")
        asked = [question for questions in results if isinstance(questions, list) for question in questions]
        return await work(self._united, asked, text)

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Asks for new questions about all these sentences in one call, which names those asked before.

        A text of at most 6,000 characters is sent whole. Of what was seen, the first 4,000 characters are
        sent.
        """
        statements = [span.of(text) for span in lacking.spans]
        variables = {
            "context": context or NOTHING,
            "text": text if len(text) <= PART else "\n".join(statements),
            "sentences": "\n".join(f"- {' '.join(item.split())}" for item in statements),
            "asked": "\n".join(f"- {item}" for item in lacking.asked) or NOTHING,
            "seen": "\n".join(f"- {' '.join(item.split())}" for item in lacking.seen)[:SEEN] or NOTHING,
        }
        prompt = of_written(self._prompts["target_queries"], variables["sentences"], tokens_each=TOKENS_ASKED)
        answer = await self._model.ask(prompt, QuestionsAnswer, variables)
        return await work(self._merged, answer, prompt, text, lacking.spans)

    def _merged(
        self, answer: QuestionsAnswer, prompt: Prompt, text: str, spans: Sequence[Span]
    ) -> list[Question]:
        return self._united(_placed(answer, prompt, text, spans), text)

    async def _about(self, text: str, part: Span, context: str | None) -> list[Question]:
        variables = {"context": context or NOTHING, "text": part.of(text)}
        prompt = of_written(self._prompts["generate_queries"], part.of(text), tokens_each=TOKENS_ASKED)
        samples = await self._model.sample(
            prompt, QuestionsAnswer, variables, samples=self._samples, temperature=self._temperature
        )
        return await work(_placed_in, part, samples, prompt, text)


def _placed_in(part: Span, samples: Sequence[QuestionsAnswer], prompt: Prompt, text: str) -> list[Question]:
    spans = [span for span in sentences(text) if part.start <= span.start and span.end <= part.end]
    return [question for sample in samples for question in _placed(sample, prompt, text, spans)]


def _placed(answer: QuestionsAnswer, prompt: Prompt, text: str, spans: Sequence[Span]) -> list[Question]:
    quotations = [(span, quoted(prompt, span.of(text))) for span in spans]
    return [
        Question(text=" ".join(asked.question.split()), start=place.start, end=place.end)
        for asked in answer.questions
        if asked.question.strip() and (place := question_place(asked, quotations)) is not None
    ]


def text_parts(text: str) -> list[Span]:
    """Divides a text between sentences into parts of about 6,000 characters at most."""
    start, end = 0, 0
    parts = []
    for span in sentences(text):
        if span.end - start > PART and end > start:
            parts.append(Span(start, end))
            start = end  # with the heading of what follows
        end = span.end
    if end > start:
        parts.append(Span(start, end))
    return parts


def question_place(asked: GeneratedQuestion, sentences: Sequence[tuple[Span, Quotation]]) -> Span | None:
    """Finds the place of the words that the question is about; otherwise the sentence most like the question.

    None for no sentences.
    """
    words = r"\s+".join(re.escape(word) for word in asked.about.split())
    about = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    places: dict[Span, Quotation] = {}
    for span, quotation in sentences:
        if words and (match := about.search(quotation.shown)):
            places[Span(*quotation.span(*match.span())).moved(span.start)] = quotation
    places = places or dict(sentences)
    asks = _words(f"{asked.question} {asked.about}")
    return max(places, key=lambda place: len(asks & _words(places[place].text)), default=None)


def distinct_questions(questions: Sequence[Question], text: str) -> list[Question]:
    """Returns the questions in text order, without duplicates.

    A duplicate is about the same words, or overlaps and has nearly the same words and the same numbers.
    """
    kept: list[Question] = []
    for question in sorted(questions, key=lambda question: (question.start, question.end)):
        if not any(_same(question, other, text) for other in kept):
            kept.append(question)
    return kept


def different_questions(questions: Sequence[Question], text: str) -> list[Question]:
    """Returns the questions in text order, each wording once: the union of the paper (section 3.1)."""
    ordered = sorted(questions, key=lambda question: (question.start, question.end))
    return list({question.text: question for question in reversed(ordered)}.values())[::-1]


def _same(question: Question, other: Question, text: str) -> bool:
    place, other_place = Span(question.start, question.end), Span(other.start, other.end)
    if not place.overlaps(other_place):
        return False
    if place == other_place and place not in sentences(text):
        return True
    a, b = question.text.casefold(), other.text.casefold()
    return re.findall(r"\d+", a) == re.findall(r"\d+", b) and bool(fuzz.token_sort_ratio(a, b) >= ALIKE)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


Unit = Literal["questions", "sentences", "text"]
_QUESTION = 300  # characters of a question or heading in a query, at most
_MARKS = re.compile(r"[*_`#|]+")


class CardQueries:
    """Searches for each sentence, for the text, or for questions; asks a model in later rounds alone."""

    def __init__(self, questions: PromptedQuestions | None, unit: Unit) -> None:
        """Without `questions`, no model is asked: each sentence is searched for, once."""
        self._questions, self._unit = questions, unit

    def of_sentences(self) -> "CardQueries":
        """Returns a generator that searches for each sentence."""
        return CardQueries(self._questions, "sentences")

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of the first round."""
        if self._questions is None or self._unit != "questions":
            return ExpectedUsage()
        return self._questions.expected(text, context)

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns the queries of the first round: a sentence is searched for with what it is about."""
        if self._questions is not None and self._unit == "questions":
            return await self._questions.generate(text, context)
        if self._unit == "text":
            return [Question(text=" ".join(text.split()), start=0, end=len(text))]
        return await work(sentence_queries, text, context)

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Asks a model for queries about these sentences, in the light of what was seen."""
        if self._questions is None:
            return ()
        return await self._questions.target(text, context, lacking)


def sentence_queries(text: str, context: str | None) -> list[Question]:
    """Makes a query of each sentence: with its headings and the question, else with the sentence before it.

    The sentence before tells what a pronoun refers to. A cell of a table is searched for with its heads.
    """
    headings = [block for block in blocks(text) if block.kind == "heading"]
    cells = table_cells(text)
    spans = sentences(text)
    queries: list[Question] = []
    for number, span in enumerate(spans):
        above: dict[int, str] = {}
        for heading in headings:
            if heading.start < span.start:
                above = {level: words for level, words in above.items() if level < heading.level}
                above[heading.level] = text[heading.start : heading.end]
        words = cells[span].statement(text) if span in cells else span.of(text)
        before = "" if above or context or not number else spans[number - 1].of(text)
        asked = (context or "")[-_QUESTION:]
        whole = " ".join([*(part[:_QUESTION] for part in above.values()), asked, before, words])
        queries.append(
            Question(text=" ".join(_MARKS.sub(" ", whole).split()), start=span.start, end=span.end)
        )
    return queries
