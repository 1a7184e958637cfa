"""Makes the queries of a run: questions by a language model (Gao et al. 2023, 3.1), or its sentences."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, Prompts, of_written
from rarr.components import Lacking
from rarr.prompts import Prompt
from rarr.records import ModelUsage, Question
from rarr.tools.concurrency import work
from rarr.tools.guard.quotation import Quotation, quoted
from rarr.tools.models.chat import estimated_tokens
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences, table_cells
from rarr.tools.text.section_headings import headings_above

SEEN = 4000  # characters of what was found before
PARAGRAPHS = 6000  # characters of the paragraphs that a later round shows, at most
TEMPERATURE = 0.7  # of the questions (Gao et al. 2023, section 3.2)
QUESTION_TOKENS = 35  # of one question in an answer
TOKENS_ASKED = 8  # tokens of all questions for each token of the text, at most


class GeneratedQuestion(BaseModel):
    """A question, and the words of the text that it is about."""

    question: str
    about: str = ""


class QuestionsAnswer(BaseModel):
    """The model's answer: questions about a text."""

    questions: list[GeneratedQuestion]


class PromptedQuestions:
    """A query generator that asks a language model for questions about every part of a text."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, samples: int = 1) -> None:
        """`samples`: the lists of questions, whose union is returned (Gao et al. 2023, section 3.1)."""
        self._model, self._prompts, self._samples = model, prompts, samples

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """Estimates the usage for a whole text, with one question for each sentence and sample."""
        answered = self._samples * QUESTION_TOKENS * len(sentences(text))
        shown = estimated_tokens([text]) + estimated_tokens([context or ""])
        return self._model.expected(self._prompts["generate_queries"], shown, answered)

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Asks for questions; returns them in text order, each wording once. Raises like `sample`."""
        spans = await work(sentences, text)
        if not spans:
            return []
        shown = text[: spans[-1].end]
        prompt = of_written(self._prompts["generate_queries"], shown, tokens_each=TOKENS_ASKED)
        variables = {"context": context or NOTHING, "text": shown}
        options: Any = {"samples": self._samples, "temperature": TEMPERATURE}
        answers = await self._model.sample(prompt, QuestionsAnswer, variables, **options)
        return await work(_united, answers, prompt, text, spans)

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Asks for new questions about all these sentences in one call, which names those asked before.

        The paragraphs of these sentences are sent, or the sentences alone where that is more than 6,000
        characters. Of what was seen, the first 4,000 characters are sent.
        """
        shown = await work(_marked, text, lacking.spans)
        variables = {
            "context": context or NOTHING,
            "text": shown,
            "asked": "\n".join(f"- {item}" for item in lacking.asked) or NOTHING,
            "seen": "\n".join(f"- {' '.join(item.split())}" for item in lacking.seen)[:SEEN] or NOTHING,
        }
        prompt = of_written(self._prompts["target_queries"], shown, tokens_each=TOKENS_ASKED)
        answer = await self._model.ask(prompt, QuestionsAnswer, variables)
        return await work(_united, [answer], prompt, text, lacking.spans)


def _marked(text: str, spans: Sequence[Span]) -> str:
    """Shows the paragraphs of these sentences with a mark before each, or the marked sentences alone."""
    marks = {span.start: f"[S{number}] " for number, span in enumerate(spans, start=1)}
    paragraphs = [
        "".join(marks.get(place, "") + text[place] for place in range(block.start, block.end)).strip()
        for block in blocks(text)
        if any(block.start <= start < block.end for start in marks)
    ]
    shown = "\n\n".join(paragraphs)
    return shown if len(shown) <= PARAGRAPHS else "\n".join(marks[it.start] + it.of(text) for it in spans)


def _united(
    answers: Sequence[QuestionsAnswer], prompt: Prompt, text: str, spans: Sequence[Span]
) -> list[Question]:
    """Places the questions in the text; returns them in its order, each wording once."""
    quotations = [(span, quoted(prompt, span.of(text))) for span in spans]
    placed = [
        Question(text=words, start=place.start, end=place.end)
        for answer in answers
        for asked in answer.questions
        if (words := " ".join(asked.question.split()))
        and (place := question_place(asked, quotations)) is not None
    ]
    ordered = sorted(placed, key=lambda question: (question.start, question.end))
    return list({question.text: question for question in reversed(ordered)}.values())[::-1]


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

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """Estimates the usage of the first round."""
        if self._questions is None or self._unit != "questions":
            return ModelUsage()
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
    cells, spans, queries = table_cells(text), sentences(text), list[Question]()
    for number, span in enumerate(spans):
        above = [text[it.start : it.end] for it in headings_above(text, span.start)]
        words = cells[span].statement(text) if span in cells else span.of(text)
        before = "" if above or context or not number else spans[number - 1].of(text)
        asked = (context or "")[-_QUESTION:]
        whole = " ".join([*(part[:_QUESTION] for part in above), asked, before, words])
        words = " ".join(_MARKS.sub(" ", whole).split())
        queries.append(Question(text=words, start=span.start, end=span.end))
    return queries
