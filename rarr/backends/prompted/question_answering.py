"""Lets a language model answer a question: from a passage alone, or from its memory."""

from pydantic import BaseModel

from rarr.backends.prompted.answer_token_limits import of_copied
from rarr.backends.prompted.prompt_text_selection import quoted_evidence
from rarr.backends.prompted.prompts import Prompts
from rarr.records import Evidence
from rarr.tools.models.language_model import LanguageModel


class ReadingAnswer(BaseModel):
    """The model's answer: words of the source, or that the source has no answer."""

    answer: str = ""


class QuestionAnswerer:
    """A language model that answers questions."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompts = model, prompts

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    async def read(self, question: str, evidence: Evidence) -> str:
        """Answers from the passage alone, in its words. Raises like `LanguageModel.ask`."""
        source = quoted_evidence(evidence)
        prompt = of_copied(self._prompts["read_evidence"], source)
        answered = await self._model.ask(prompt, ReadingAnswer, {"query": question, "evidence": source})
        return prompt.quoted(source).original(answered.answer).strip()

    async def recall(self, question: str) -> str:
        """Answers from memory, without a passage. Raises like `LanguageModel.ask`."""
        answered = await self._model.ask(self._prompts["recall_answer"], ReadingAnswer, {"query": question})
        return answered.answer.strip()

    async def aclose(self) -> None:
        """Closes the connections of the model in the running event loop."""
        await self._model.aclose()
