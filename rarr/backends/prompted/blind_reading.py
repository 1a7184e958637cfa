"""Blind reading: a model answers each query from one passage, without the text; code compares.

A model that sees the text copies the text's value as the evidence's answer. A blind answer also does not
depend on the text, so no edit makes it stale. If a difference is doubtful, the model sees the sentence as
it is and with the evidence's answer, and chooses. It chooses in both orders, because small models prefer
one position.
"""

from typing import Literal, Protocol

from pydantic import BaseModel

from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.prompts import EVIDENCE_TOKENS, Prompts
from rarr.backends.prompted.scope import quoted_evidence
from rarr.records import Agreement, Evidence, ModelUsage, Query
from rarr.tools.concurrency.together import together
from rarr.tools.concurrency.worker import work
from rarr.tools.models.language_model import LanguageModel

_ANSWER_TOKENS = 15  # the size of a common answer
PREFERRED = 0.55
"""The least preference for a doubtful difference to count. No likely answer that differed from a right
sentence reached it; 13 likely answers that differed from a wrong sentence did (the readings of
`rules.blind_answers.LIKELY`)."""


class ReadingAnswer(BaseModel):
    """The model's answer: words of the passage, or that the passage has no answer."""

    answer: str = ""


class VersionAnswer(BaseModel):
    """The model's answer: which of two sentences the passage confirms."""

    version: Literal["A", "B"]


class AnswerComparison(Protocol):
    """The code that judges a passage, and the answer that was read in it."""

    def verdict_unread(
        self, text: str, context: str | None, query: Query, evidence: Evidence
    ) -> Agreement | None:
        """The verdict on a passage that no model needs to read; None for one that it must read."""

    def answer_agreement(
        self,
        text: str,
        context: str | None,
        query: Query,
        evidence: Evidence,
        answer: str,
        probability: float | None,
    ) -> Agreement:
        """The agreement of an answer that was read in `evidence` with the text's answer to `query`.

        `probability`: the model's probability of the answer; None where the server does not give it.
        """

    def sentence_versions(self, text: str, query: Query, difference: Agreement) -> tuple[str, str] | None:
        """The sentence as it is and with the evidence's answer; None if code cannot write it."""


class BlindChecker:
    """Asks about one query and one evidence.

    The consequence of an edit occurs in no passage, so a follow-up query is judged with the text in view.
    """

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        *,
        comparison: AnswerComparison,
        follow_ups: PromptedChecker,
    ) -> None:
        self._model, self._prompts = model, prompts
        self._comparison, self._follow_ups = comparison, follow_ups

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """The usage for one evidence."""
        return self._model.expected(self._prompts["read_evidence"], EVIDENCE_TOKENS, _ANSWER_TOKENS)

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Raises `ModelError` for an answer that cannot be parsed, because it is no verdict."""
        if query.follows:
            return await self._follow_ups.check(text, context, query, evidence)
        unread = await work(self._comparison.verdict_unread, text, context, query, evidence)
        if unread is not None:
            return unread
        prompt = self._prompts["read_evidence"]
        variables = {"query": query.text, "evidence": quoted_evidence(evidence)}
        answered, probability = await self._model.ask_likely(prompt, ReadingAnswer, variables)
        answer = prompt.quoted(quoted_evidence(evidence)).original(answered.answer).strip()
        compared = self._comparison.answer_agreement
        agreement = await work(compared, text, context, query, evidence, answer, probability)
        return await self._confirmed(agreement, text, query, evidence)

    async def _confirmed(
        self, agreement: Agreement, text: str, query: Query, evidence: Evidence
    ) -> Agreement:
        """The agreement; `unknown` for a doubtful difference that the model does not confirm."""
        if agreement.verdict != "disagrees" or agreement.confidence is None:
            return agreement
        versions = await work(self._comparison.sentence_versions, text, query, agreement)
        if versions is not None and await self._preference(*versions, evidence) >= PREFERRED:
            return agreement
        reason = f"{agreement.reason}; shown both sentences, the model does not choose the one with it"
        return agreement.model_copy(update={"verdict": "unknown", "reason": reason, "confidence": None})

    async def _preference(self, original: str, edited: str, evidence: Evidence) -> float:
        """The probability that the passage confirms the edited sentence, not the original (0 to 1)."""
        first, second = await together(
            self._probability_of_second(original, edited, evidence),
            self._probability_of_second(edited, original, evidence),
        )
        return (first + 1 - second) / 2

    async def _probability_of_second(self, first: str, second: str, evidence: Evidence) -> float:
        variables = {"evidence": quoted_evidence(evidence), "first": first, "second": second}
        chosen = await self._model.ask_likely(self._prompts["choose_version"], VersionAnswer, variables)
        probability = 1.0 if chosen.probability is None else chosen.probability
        return probability if chosen.answer.version == "B" else 1 - probability
