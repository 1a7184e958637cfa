"""Prompted judgement of intent: Pres_intent (Gao et al. 2023, section 2.2), which people judged there."""

from typing import Literal

from pydantic import BaseModel

from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.shown_text import NOTHING
from rarr.records import ModelUsage
from rarr.tools.models.language_model import LanguageModel


class IntentAnswer(BaseModel):
    """The model's answer."""

    reason: str = ""
    verdict: Literal["preserved", "changed"]


class PromptedIntentJudge:
    """Makes one call for each revision."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompts = model, prompts

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """The usage for one revision."""
        return self._prompts.expected(self._model, "judge_intent", 2 * text, None, whole=True)

    async def preserved(self, original: str, revised: str, context: str | None) -> float:
        """1 where the revision keeps the intent of the text, else 0. Raises `ModelError`."""
        variables = {"context": context or NOTHING, "text": original, "revision": revised}
        answer = await self._model.ask(self._prompts["judge_intent"], IntentAnswer, variables)
        return float(answer.verdict == "preserved")
