"""Makes the queries of a run whose model reads cards: without a model where a corpus is searched."""

import re
from collections.abc import Sequence
from typing import Literal

from rarr.backends.prompted.questions import PromptedQuestions
from rarr.components import Lacking
from rarr.records import ExpectedUsage, Question
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import blocks, sentences, table_cells

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
