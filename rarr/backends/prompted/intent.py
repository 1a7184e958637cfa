"""Asks a language model whether a revision keeps the intent of a text, and for the text of a question.

Intent is the second half of preservation in RARR (Gao et al. 2023, section 2.2), where people judge it.
"""

from typing import Literal, get_args

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, Prompts
from rarr.tools.models.language_model import LanguageModel

Level = Literal["not", "somewhat", "completely"]
LEVELS: tuple[Level, ...] = get_args(Level)


class IntentAnswer(BaseModel):
    """The model's answer: the level, and why."""

    reason: str = ""
    level: Level


class TextAnswer(BaseModel):
    """The model's answer: a paragraph."""

    answer: str


class PromptedIntentJudge:
    """Asks a language model how far a revision keeps the intent, in the three levels of the paper."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompt = model, prompts["judge_intent"]

    async def intent(self, original: str, revised: str, context: str | None) -> float:
        """Returns 1 (completely), 0.5 (somewhat) or 0 (not). Raises like `LanguageModel.ask`."""
        given = {"context": context or NOTHING, "original": original, "revised": revised}
        judged = await self._model.ask(self._prompt, IntentAnswer, given)
        return LEVELS.index(judged.level) / (len(LEVELS) - 1)


class PromptedAnswerer:
    """Has a language model answer a question from memory, so that there is a text to revise."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompt = model, prompts["answer_question"]

    async def answer(self, question: str) -> str:
        """Returns a paragraph. Raises like `LanguageModel.ask`."""
        return (await self._model.ask(self._prompt, TextAnswer, {"question": question})).answer
