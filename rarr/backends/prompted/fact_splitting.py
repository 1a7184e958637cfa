"""Splits a text into atomic facts with a language model, as FActScore does (Min et al. 2023, section 3)."""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.answer_token_limits import of_written
from rarr.backends.prompted.prompts import Prompts
from rarr.tools.models.language_model import LanguageModel


class SplitAnswer(BaseModel):
    """The model's answer: the facts of a text, each as a sentence."""

    facts: list[str]


class PromptedSplitter:
    """Asks a language model for the facts of a text."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompts = model, prompts

    async def split(self, text: str) -> Sequence[str]:
        """Returns the facts of `text`, each once, in the order of the answer. Raises `ModelError`."""
        prompt = of_written(self._prompts["split_facts"], text)
        answer = await self._model.ask(prompt, SplitAnswer, {"text": text})
        return list(dict.fromkeys(fact.strip() for fact in answer.facts if fact.strip()))
