"""Answers by a language model, with citations; and the levels of answers beside right ones.

The levels beside rated answers are the successor of learned scores that their authors propose (Chen 2023,
chapter 3).
"""

from collections.abc import Sequence
from typing import Literal, Self, get_args

from pydantic import BaseModel

from rarr.backends.prompted.prompts import (
    NOTHING,
    Prompts,
    numbered_sources,
    of_written,
)
from rarr.records.answers import CitedStatement, NamedTriple
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.citation_brackets import BracketCitation, bracket_statements


class WrittenStatement(BaseModel):
    """A statement as the model wrote it. `named` are sources that it names in words, in free text alone."""

    text: str
    citations: list[int] = []
    needs_support: bool = False
    named: list[BracketCitation] = []


class WrittenAnswer(BaseModel):
    """The model's answer."""

    statements: list[WrittenStatement]

    @classmethod
    def of_free_text(cls, text: str) -> Self | None:
        """Reads an answer that is no JSON but text with brackets; None if it looks like broken JSON."""
        if text.lstrip().startswith(("{", "[", "```")) or '"statements"' in text:
            return None
        statements = [
            WrittenStatement(
                text=statement.text,
                citations=[each.number for each in statement.citations if each.number is not None],
                needs_support=statement.needs_support,
                named=[each for each in statement.citations if each.number is None],
            )
            for statement in bracket_statements(text)
        ]
        return cls(statements=statements) if statements else None

    def cited(self) -> list[CitedStatement]:
        """Returns the statements that are not empty."""
        return [
            CitedStatement(
                text=statement.text,
                citations=tuple(statement.citations),
                needs_support=statement.needs_support,
                named=tuple(
                    NamedTriple(entity=each.entity, relation=each.relation, value=each.value)
                    for each in statement.named
                ),
            )
            for statement in self.statements
            if statement.text.strip()
        ]


class PromptedAnswers:
    """Asks a language model to answer from numbered sources."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompts = model, prompts

    async def write(self, question: str, sources: Sequence[str]) -> list[CitedStatement]:
        """Returns the statements of the answer; the first of `sources` has the number 1.

        Raises `ModelError` and `BudgetError`.
        """
        listed = numbered_sources(sources)
        prompt = of_written(self._prompts["answer_with_citations"], question, least=800, tokens_each=8)
        answer = await self._model.ask(
            prompt, WrittenAnswer, {"question": question, "sources": listed or "(none)"}
        )
        return answer.cited()


Level = Literal["completely wrong", "mostly wrong", "half right", "mostly right", "perfect"]
LEVELS: tuple[Level, ...] = get_args(Level)


class LevelAnswer(BaseModel):
    """The model's answer: the level, and why."""

    reason: str = ""
    level: Level


class PromptedAnswerScorer:
    """Asks a language model for the level of an answer, once for each answer with all its references."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompts = model, prompts

    async def score(
        self, answer: str, references: Sequence[str], question: str | None, passage: str | None
    ) -> float:
        """Returns the score, from 0 to 1 by quarters. Raises like `LanguageModel.ask`."""
        given = {
            "passage": passage or NOTHING,
            "question": question or NOTHING,
            "references": "\n".join(references),
            "answer": answer,
        }
        rated = await self._model.ask(self._prompts["score_answer"], LevelAnswer, given)
        return LEVELS.index(rated.level) / (len(LEVELS) - 1)

    async def aclose(self) -> None:
        """Closes the connections of the model in the running event loop."""
        await self._model.aclose()
