"""Makes the queries of a run: questions by a language model (Gao et al. 2023, 3.1), or sentences."""

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, Prompts, with_answer_limit
from rarr.components import QueryKind, SearchTargets
from rarr.prompts import Prompt
from rarr.records import Question
from rarr.tools.concurrency import work
from rarr.tools.guard.quotation import Quotation, quotation_of
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.blocks_and_sentences import Span, blocks, sentences, table_cells
from rarr.tools.text.section_headings import headings_above

MAX_SEEN = 4000  # most characters of earlier titles and quoted lines in a request
MAX_PARAGRAPHS = 6000  # most characters of the paragraphs in a request of a later round
TEMPERATURE = 0.7  # as in Gao et al. 2023, section 3.2
TOKENS_ASKED = 8  # most tokens of all questions for each token of the text


class GeneratedQuestion(BaseModel):
    """A question, and the words of the text that it is about."""

    question: str
    about: str = ""


class QuestionsAnswer(BaseModel):
    """The answer of the model: questions about a text."""

    questions: list[GeneratedQuestion]


class PromptedQuestions:
    """A query generator that asks a language model for questions about every part of a text."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, samples: int = 1) -> None:
        """`samples`: the number of answers whose questions are merged (Gao et al. 2023, section 3.1)."""
        self.model, self._prompts, self._samples = model, prompts, samples

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns each question once, in text order. Raises the errors of `LanguageModel.sample`."""
        spans = await work(sentences, text)
        if not spans:
            return []
        shown = text[: spans[-1].end]
        prompt = with_answer_limit(self._prompts["generate_queries"], shown, tokens_each=TOKENS_ASKED)
        variables = {"context": context or NOTHING, "text": shown}
        options: Any = {"samples": self._samples, "temperature": TEMPERATURE}
        answers = await self.model.sample(prompt, QuestionsAnswer, variables, **options)
        return await work(_merge_questions, answers, prompt, text, spans)

    async def target(self, text: str, context: str | None, lacking: SearchTargets) -> Sequence[Question]:
        """Asks for new questions about unsupported sentences. The request also shows earlier questions.

        The request shows the paragraphs of these sentences, or only the sentences if the paragraphs are
        longer than 6,000 characters. `lacking.seen` (titles and lines of sources) is cut at 4,000 characters.
        """
        shown = await work(_marked_text, text, lacking.spans)
        asked = "\n".join(f"- {item}" for item in lacking.asked) or NOTHING
        seen = "\n".join(f"- {' '.join(item.split())}" for item in lacking.seen)[:MAX_SEEN] or NOTHING
        variables = {"context": context or NOTHING, "text": shown, "asked": asked, "seen": seen}
        prompt = with_answer_limit(self._prompts["target_queries"], shown, tokens_each=TOKENS_ASKED)
        answer = await self.model.ask(prompt, QuestionsAnswer, variables)
        return await work(_merge_questions, [answer], prompt, text, lacking.spans)


def _marked_text(text: str, spans: Sequence[Span]) -> str:
    """Returns the paragraphs of the sentences `spans`, with marks [S1]; or only the sentences if too long."""
    marks = {span.start: f"[S{number}] " for number, span in enumerate(spans, start=1)}
    paragraphs = [
        "".join(marks.get(place, "") + text[place] for place in range(block.start, block.end)).strip()
        for block in blocks(text)
        if any(block.start <= start < block.end for start in marks)
    ]
    shown = "\n\n".join(paragraphs)
    return shown if len(shown) <= MAX_PARAGRAPHS else "\n".join(marks[it.start] + it.of(text) for it in spans)


def _merge_questions(
    answers: Sequence[QuestionsAnswer], prompt: Prompt, text: str, spans: Sequence[Span]
) -> list[Question]:
    """Finds the place of each question in the text. Returns each question once, in the order of places."""
    quotations = [(span, quotation_of(prompt, span.of(text))) for span in spans]
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
    """Returns the place of the words that a question is about, or else of the most similar sentence."""
    words = r"\s+".join(re.escape(word) for word in asked.about.split())
    about = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    places: dict[Span, Quotation] = {}
    for span, quotation in sentences:
        if words and (match := about.search(quotation.shown)):
            places[Span(*quotation.original_span(*match.span())).moved_by(span.start)] = quotation
    places = places or dict(sentences)
    asks = _word_set(f"{asked.question} {asked.about}")
    return max(places, key=lambda place: len(asks & _word_set(places[place].text)), default=None)


def _word_set(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


_MAX_PART = 300  # most characters of a question or heading in a query
_MARKDOWN_MARKS = re.compile(r"[*_`#|]+")


class QueriesByUnit:
    """A query generator. The queries are sentences, the whole text, or questions that a model asks."""

    def __init__(self, questions: PromptedQuestions | None, unit: QueryKind) -> None:
        """`unit`: the kind of query in the first round. Later rounds need `questions`, which asks a model."""
        self.questions, self.unit = questions, unit

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns the queries of the first round, by the unit: questions, sentences, or the whole text."""
        if self.questions is not None and self.unit == "questions":
            return await self.questions.generate(text, context)
        if self.unit == "text":
            return [Question(text=" ".join(text.split()), start=0, end=len(text))]
        return await work(sentence_queries, text, context)

    async def target(self, text: str, context: str | None, lacking: SearchTargets) -> Sequence[Question]:
        """Asks a model for queries about unsupported sentences. Without a model, returns no queries."""
        return await self.questions.target(text, context, lacking) if self.questions else ()


def sentence_queries(text: str, context: str | None) -> list[Question]:
    """Makes a query from each sentence, with its headings and the context. Table cells get their headers.

    Without headings and context, the query also has the previous sentence: a pronoun may refer to it.
    """
    cells, spans, queries = table_cells(text), sentences(text), list[Question]()
    for number, span in enumerate(spans):
        above = [text[it.start : it.end] for it in headings_above(text, span.start)]
        words = cells[span].statement(text) if span in cells else span.of(text)
        before = "" if above or context or not number else spans[number - 1].of(text)
        whole = " ".join([*(part[:_MAX_PART] for part in above), (context or "")[-_MAX_PART:], before, words])
        words = " ".join(_MARKDOWN_MARKS.sub(" ", whole).split())
        queries.append(Question(text=words, start=span.start, end=span.end))
    return queries
