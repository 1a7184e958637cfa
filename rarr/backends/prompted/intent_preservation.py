"""Asks a language model whether a revision keeps the intent of a text: Pres_intent (Gao et al. 2023, 2.2).

People judged it in the paper, on three levels: the intent is preserved completely, mostly, or not.
"""

from typing import Literal

from pydantic import BaseModel

from rarr.backends.prompted.prompt_text_selection import NOTHING
from rarr.backends.prompted.prompts import Prompts
from rarr.records import ExpectedUsage
from rarr.tools.models.language_model import LanguageModel


class IntentAnswer(BaseModel):
    """The model's answer: how far is the intent preserved, and why?"""

    reason: str = ""
    verdict: Literal["completely", "mostly", "not"]


class PromptedIntentJudge:
    """Asks a language model about the intent, once for each revision."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompts = model, prompts

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage for one revision."""
        return self._prompts.expected(self._model, "judge_intent", 2 * text, None, whole=True)

    async def preserved(self, original: str, revised: str, context: str | None) -> float:
        """Returns 1 if the revision keeps the intent of the text completely, else 0. Raises `ModelError`."""
        variables = {"context": context or NOTHING, "text": original, "revision": revised}
        answer = await self._model.ask(self._prompts["judge_intent"], IntentAnswer, variables)
        return float(answer.verdict == "completely")
