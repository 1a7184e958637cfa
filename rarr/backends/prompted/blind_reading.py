"""Blind reading: a model answers each query from a source, without the text; code compares.

A model that sees the text copies the text's value as the evidence's answer. A blind answer also does not
depend on the text, so no edit makes it stale. An answer that differs from the text, or that code doubts, is
read a second time in another way: the model fills the sentence, whose value is blanked out. Only what both
readings say counts.
"""

from typing import Protocol

from pydantic import BaseModel

from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.scope import NOTHING, quoted_evidence
from rarr.backends.prompted.surroundings import BLOCK, Surroundings
from rarr.records import Agreement, Evidence, ModelUsage, Query
from rarr.tools.concurrency.worker import work
from rarr.tools.models.language_model import LanguageModel

_ANSWER_TOKENS = 15  # the size of a common answer
_CHARACTERS_OF_A_TOKEN = 4
LIKELY_TWICE = 0.2
"""The least probability of both readings together from which a difference that code doubts counts in full."""
DOUBTED = 0.6
"""The share of right answers among the differences that code doubts, and that both readings say."""


class ReadingAnswer(BaseModel):
    """The model's answer: words of the source, or that the source has no answer."""

    answer: str = ""


class ComparedAnswer(Protocol):
    """What code makes of an answer."""

    @property
    def agreement(self) -> Agreement:
        """The verdict."""

    @property
    def doubt(self) -> str:
        """The reason not to trust the verdict; empty where there is none."""


class AnswerComparison(Protocol):
    """The code that judges a source, and the answer that was read in it."""

    def verdict_unread(
        self, text: str, context: str | None, query: Query, evidence: Evidence
    ) -> Agreement | None:
        """The verdict on a source that no model needs to read; None for one that it must read."""

    def answered_passage(self, block: Evidence, query: Query, answer: str) -> Evidence:
        """The sentences of a block that give the answer."""

    def compared_answer(
        self, text: str, context: str | None, query: Query, evidence: Evidence, answer: str
    ) -> ComparedAnswer:
        """The comparison of an answer that was read in `evidence` with the text's answer to `query`."""

    def is_same_answer(self, answer: str, other: str) -> bool:
        """Do two answers have the same words or the same value?"""

    def sentence_with_blank(self, text: str, query: Query) -> tuple[str, str] | None:
        """The words before the sentence, and the sentence with a blank for the value that is asked about."""


class BlindChecker:
    """Asks about one query and one evidence.

    The consequence of an edit occurs in no source, so a follow-up query is judged with the text in view.
    """

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        *,
        surroundings: Surroundings,
        comparison: AnswerComparison,
        follow_ups: PromptedChecker,
    ) -> None:
        self._model, self._prompts, self._surroundings = model, prompts, surroundings
        self._comparison, self._follow_ups = comparison, follow_ups

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """The usage for one evidence."""
        block_tokens = BLOCK // _CHARACTERS_OF_A_TOKEN
        return self._model.expected(self._prompts["read_evidence"], block_tokens, _ANSWER_TOKENS)

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Raises `ModelError` for an answer that cannot be parsed, because it is no verdict."""
        if query.follows:
            return await self._follow_ups.check(text, context, query, evidence)
        block = await self._surroundings.block(evidence)
        comparison = self._comparison
        unread = await work(comparison.verdict_unread, text, context, query, block)
        if unread is not None:
            return unread
        answer, probability = await self._answer("read_evidence", block, query=query.text)
        passage = await work(comparison.answered_passage, block, query, answer)
        compared = await work(comparison.compared_answer, text, context, query, passage, answer)
        agreement = compared.agreement
        if agreement.verdict == "disagrees" or compared.doubt:
            agreement = await self._read_again(text, query, block, answer, probability, compared)
        return agreement.model_copy(update={"read_in": passage})

    def is_answered(self, agreement: Agreement) -> bool:
        """Did the source answer? To a worse source the query may mean another thing, so it is not read."""
        return agreement.verdict in ("agrees", "disagrees") or bool(agreement.evidence_answer)

    async def _read_again(
        self,
        text: str,
        query: Query,
        block: Evidence,
        answer: str,
        probability: float | None,
        compared: ComparedAnswer,
    ) -> Agreement:
        """The agreement where a second reading says the same; `unknown` where it does not."""
        agreement, doubt = compared.agreement, compared.doubt
        blanked = await work(self._comparison.sentence_with_blank, text, query)
        if blanked is None:
            return agreement.model_copy(update={"verdict": "unknown", "reason": doubt or agreement.reason})
        before, sentence = blanked
        second, again = await self._answer("fill_blank", block, before=before or NOTHING, sentence=sentence)
        if not await work(self._comparison.is_same_answer, answer, second):
            reason = f"{agreement.reason}; in the sentence itself, it answers {second!r}"
            return agreement.model_copy(update={"verdict": "unknown", "reason": reason})
        if agreement.verdict != "disagrees" or not doubt:
            return agreement
        if probability is not None and again is not None and probability * again >= LIKELY_TWICE:
            return agreement
        return agreement.model_copy(
            update={"confidence": DOUBTED, "reason": f"{agreement.reason}, but {doubt}"}
        )

    async def _answer(self, name: str, block: Evidence, **variables: str) -> tuple[str, float | None]:
        """The model's answer in the words of the source, and its probability where the server gives it."""
        prompt, source = self._prompts[name], quoted_evidence(block)
        variables = {"evidence": source, **variables}
        answered, probability = await self._model.ask_likely(prompt, ReadingAnswer, variables)
        return prompt.quoted(source).original(answered.answer).strip(), probability
