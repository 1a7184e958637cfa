"""Code first, and a language model where code cannot: edits of values, and questions about them."""

import re
from collections.abc import Sequence

from rarr.backends.prompted.editing import PromptedEditor
from rarr.backends.prompted.questions import PromptedQuestions
from rarr.components import Editor, QueryGenerator
from rarr.errors import ModelError
from rarr.records import Change, Check, Evidence, ModelUsage, Query, Question
from rarr.tools.concurrency.worker import work
from rarr.tools.models.meter import meter
from rarr.tools.text.document import Span, sentences


class CodeFirstEditor:
    """Replaces a value in code. The model edits only where code makes no edit."""

    def __init__(self, code: Editor, model: PromptedEditor) -> None:
        self._code, self._model = code, model

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """The usage if code makes no edit."""
        return self._model.expected(text, context)

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Raises the errors of the model's editor."""
        change = await self._code.edit(text, context, query, check, evidence)
        return change or await self._model.edit(text, context, query, check, evidence)


class UnitedQuestions:
    """The model's questions, and the rules' questions for each value that the model left out.

    A question about a whole sentence, or with its own answer in it, is dropped, because no passage can
    answer it.
    """

    def __init__(self, model: PromptedQuestions, rules: QueryGenerator) -> None:
        self._model, self._rules = model, rules

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """The usage for a whole text."""
        return self._model.expected(text, context)

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Questions in text order. If the model asks none, a warning is given and the rules ask alone."""
        asked: Sequence[Question] = ()
        try:
            asked = await self._model.generate(text, context)
        except ModelError as error:
            meter().warn("questions_missing", f"the rules ask alone, since the model could not: {error}")
        return await work(_united, text, asked, await self._rules.generate(text, context))

    async def target(
        self, text: str, context: str | None, spans: Sequence[Span], asked: Sequence[str]
    ) -> Sequence[Question]:
        """The model's questions alone; they may be about a whole sentence without a value."""
        return await self._model.target(text, context, spans, asked)


def _united(text: str, asked: Sequence[Question], by_rules: Sequence[Question]) -> list[Question]:
    whole = set(sentences(text))
    kept = [
        question
        for question in asked
        if Span(question.start, question.end) not in whole and not _leaks(question, text)
    ]
    places = [Span(question.start, question.end) for question in kept]
    left_out = [
        question
        for question in by_rules
        if not any(Span(question.start, question.end).overlaps(p) for p in places)
    ]
    return sorted([*kept, *left_out], key=lambda question: (question.start, question.end))


def _leaks(question: Question, text: str) -> bool:
    """Does the question contain the words that it asks about?"""
    words = r"\s+".join(map(re.escape, text[question.start : question.end].split()))
    return bool(re.search(rf"(?<!\w){words}(?!\w)", question.text, re.IGNORECASE))
