"""Blind reading: a model answers each query from one passage, without the text in view; code compares.

A model that sees the text copies its value as the evidence's answer. A reading does not depend on the text
either: an edit makes none of them stale.
"""

from typing import Protocol

from pydantic import BaseModel

from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.prompts import EVIDENCE_TOKENS, Prompts
from rarr.backends.prompted.scope import quoted
from rarr.records import Agreement, Evidence, ModelUsage, Query
from rarr.tools.concurrency.worker import work
from rarr.tools.models.language_model import LanguageModel

_ANSWER_TOKENS = 15  # of a common answer


class Answered(BaseModel):
    """The model's answer: words of the passage, or that it is not stated."""

    answer: str = ""


class Comparison(Protocol):
    """What code can tell of a passage and of the answer that was read in it."""

    def beside_the_matter(
        self, text: str, context: str | None, query: Query, evidence: Evidence
    ) -> Agreement | None:
        """The verdict on a passage that need not be read; None for one that must be."""

    def compared(
        self,
        text: str,
        context: str | None,
        query: Query,
        evidence: Evidence,
        answer: str,
        probability: float | None,
    ) -> Agreement:
        """What an answer that was read in `evidence` means for the text's answer to `query`.

        `probability`: the model's own of the answer; None where the server does not give it.
        """


class BlindChecker:
    """Asks about one query and one evidence. What follows from an edit stands in no passage, and is judged
    with the text in view."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, *, comparison: Comparison, follow_ups: PromptedChecker
    ) -> None:
        self._model, self._prompts = model, prompts
        self._comparison, self._follow_ups = comparison, follow_ups

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """Of one evidence."""
        return self._model.expected(self._prompts["read_evidence"], EVIDENCE_TOKENS, _ANSWER_TOKENS)

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Raises `ModelError` for an answer that cannot be read: it is no verdict."""
        if query.follows:
            return await self._follow_ups.check(text, context, query, evidence)
        unread = await work(self._comparison.beside_the_matter, text, context, query, evidence)
        if unread is not None:
            return unread
        prompt = self._prompts["read_evidence"]
        variables = {"query": query.text, "evidence": quoted(evidence)}
        answered, probability = await self._model.ask_likely(prompt, Answered, variables)
        answer = prompt.quoted(quoted(evidence)).original(answered.answer).strip()
        compared = self._comparison.compared
        return await work(compared, text, context, query, evidence, answer, probability)
