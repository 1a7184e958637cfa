"""Answers by a language model, with citations; and the levels of answers beside right ones.

The levels beside rated answers are the successor of learned scores that their authors propose (Chen 2023,
chapter 3).
"""

from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import BaseModel

from rarr.backends.prompted.prompts import (
    NOTHING,
    Prompts,
    numbered_sources,
    of_written,
)
from rarr.records.answers import CitedStatement
from rarr.tools.models.language_model import LanguageModel


class WrittenStatement(BaseModel):
    """A statement as the model wrote it."""

    text: str
    citations: list[int] = []
    needs_support: bool = False


class WrittenAnswer(BaseModel):
    """The model's answer."""

    statements: list[WrittenStatement]


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
        written = (statement for statement in answer.statements if statement.text.strip())
        return [CitedStatement(**statement.model_dump()) for statement in written]


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
