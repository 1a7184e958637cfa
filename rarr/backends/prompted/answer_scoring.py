"""Lets a language model score an answer on five worded levels, beside answers that people rated.

It is the successor of learned scores that their authors propose (Chen 2023, chapter 3).
"""

from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import BaseModel, Field

from rarr.backends.prompted.prompt_text_selection import NOTHING
from rarr.backends.prompted.prompts import Prompts
from rarr.records import Record
from rarr.tools.models.language_model import LanguageModel

Level = Literal["completely wrong", "mostly wrong", "half right", "mostly right", "perfect"]
LEVELS: tuple[Level, ...] = get_args(Level)
SHOWN = 8
"""The most rated answers in one prompt."""


class LevelAnswer(BaseModel):
    """The model's answer: the level, and why."""

    reason: str = ""
    level: Level


class RatedAnswer(Record):
    """An answer that a person rated, from 0 (wrong) to 1 (the same as a reference)."""

    answer: str
    references: tuple[str, ...]
    question: str | None = None
    passage: str | None = None
    score: float = Field(ge=0, le=1)


class PromptedAnswerScorer:
    """Asks a language model for the level of an answer, once for each answer with all its references."""

    def __init__(self, model: LanguageModel, prompts: Prompts, examples: Sequence[RatedAnswer] = ()) -> None:
        """Shows the model the first `SHOWN` of the rated `examples`."""
        self._model, self._prompts = model, prompts
        self._examples = "\n\n".join(map(_rated, examples[:SHOWN])) or NOTHING

    async def score(
        self, answer: str, references: Sequence[str], question: str | None, passage: str | None
    ) -> float:
        """Returns the score, from 0 to 1 by quarters. Raises like `LanguageModel.ask`."""
        given = {
            "examples": self._examples,
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


def _rated(example: RatedAnswer) -> str:
    """Writes an example with the level nearest to its score."""
    level = LEVELS[round(example.score * (len(LEVELS) - 1))]
    asked = f"Question: {example.question}\n" if example.question else ""
    return f"{asked}Right: {' / '.join(example.references)}\nAnswer: {example.answer}\nLevel: {level}"
