"""Blind reading: a model reads each value in a source, without the value of the text; code compares.

A model that sees the value copies it as the evidence's answer. So the model is shown the sentence with a
blank for the value, and fills it from the source. Where it fills in another value, it also writes the
question that the value answers, and answers that from the source, without the sentence. Only what both
readings say counts.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from pydantic import BaseModel

from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.scope import NOTHING, quoted_evidence
from rarr.backends.prompted.surroundings import BLOCK, Surroundings
from rarr.records import Agreement, Evidence, ModelUsage, Query, Verdict
from rarr.tools.concurrency.worker import work
from rarr.tools.models.language_model import LanguageModel

_ANSWER_TOKENS = 15  # the size of a common answer
_CHARACTERS_OF_A_TOKEN = 4
LIKELY_TWICE = 0.35
"""The least probability of both readings together for an edit. From there on, a doubt about the wording of
the source alone is not counted."""
DOUBTED = 0.6
"""The confidence in other differences: a suggestion. Of 26 that both readings said, and code doubted, 17 were
right (a model of 1.5 billion parameters, on the tuned half of `benchmarks.answers`)."""


class ReadingAnswer(BaseModel):
    """The model's answer: words of the source, or that the source has no answer."""

    answer: str = ""


class QuestionAnswer(BaseModel):
    """The model's answer: a question."""

    question: str = ""


class ComparedAnswer(Protocol):
    """What code makes of an answer."""

    @property
    def agreement(self) -> Agreement:
        """The verdict."""

    @property
    def doubt(self) -> str:
        """The reason not to trust the verdict; empty where there is none."""

    @property
    def is_of_wording(self) -> bool:
        """Is the doubt about the words of the source alone?"""


class AnswerComparison(Protocol):
    """The code that judges a source, and the answer that was read in it."""

    def verdict_unread(
        self, text: str, context: str | None, query: Query, evidence: Evidence
    ) -> Agreement | None:
        """The verdict on a source that no model needs to read; None for one that it must read."""

    def as_stated(self, answer: str, text: str) -> str:
        """The answer as `text` writes it."""

    def answered_passage(self, block: Evidence, query: Query, answer: str) -> Evidence:
        """The sentences of a block that give the answer."""

    def compared_answer(
        self, text: str, context: str | None, query: Query, evidence: Evidence, answer: str
    ) -> ComparedAnswer:
        """The comparison of an answer that was read in `evidence` with the text's answer to `query`."""

    def is_same_answer(self, answer: str, other: str) -> bool:
        """Do two answers have the same words or the same value?"""

    def sentence_with_blank(self, text: str, context: str | None, query: Query) -> tuple[str, str] | None:
        """The words before the sentence, and the sentence with a blank for the value that is asked about."""

    def marked_sentence(self, text: str, context: str | None, query: Query) -> tuple[str, str] | None:
        """The same with the value in double brackets."""


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
        unread = await work(self._comparison.verdict_unread, text, context, query, block)
        if unread is not None:
            return unread
        blanked = await work(self._comparison.sentence_with_blank, text, context, query)
        if blanked is None:
            return await self._asked(text, context, query, block)
        before, sentence = blanked
        reading = await self._read(
            "fill_blank", {"before": before or NOTHING, "sentence": sentence}, text, context, query, block
        )
        if reading.verdict != "disagrees":
            return reading.agreement()
        return await self._read_again(text, context, query, block, reading)

    def is_answered(self, agreement: Agreement) -> bool:
        """Did the source answer? To a worse source the query may mean another thing, so it is not read."""
        return agreement.verdict in ("agrees", "disagrees") or bool(agreement.evidence_answer)

    async def _asked(self, text: str, context: str | None, query: Query, block: Evidence) -> Agreement:
        """The agreement by one reading, for a query whose value stands in no sentence of the text."""
        reading = await self._read("read_evidence", {"query": query.text}, text, context, query, block)
        return reading.unconfirmed() if reading.verdict == "disagrees" else reading.agreement()

    async def _read_again(
        self, text: str, context: str | None, query: Query, block: Evidence, first: "_Reading"
    ) -> Agreement:
        """The agreement where the answer to a question is the same; `unknown` where it is another.

        The question is in the model's words, and where its answer cannot be compared, in those of the query.
        """
        second = first
        for question in (await self._question(text, context, query), query.text):
            second = await self._read("read_evidence", {"query": question}, text, context, query, block)
            if second.verdict in ("agrees", "disagrees"):
                break
        answers = (first.compared.agreement.evidence_answer, second.compared.agreement.evidence_answer)
        if second.verdict != "disagrees" or not await work(self._comparison.is_same_answer, *answers):
            return first.unconfirmed(second.answer)
        likely = first.probability * second.probability
        doubted = bool(first.doubt or second.doubt)
        if doubted and first.compared.is_of_wording and second.compared.is_of_wording:
            doubted = likely < LIKELY_TWICE
        return second.agreement(doubted=doubted or 0.0 < likely < LIKELY_TWICE)

    async def _question(self, text: str, context: str | None, query: Query) -> str:
        """The model's question about the value of a query; the query where it writes none."""
        marked = await work(self._comparison.marked_sentence, text, context, query)
        if marked is None:
            return query.text
        around, sentence = marked
        variables = {"text": around, "sentence": sentence}
        written = await self._model.ask(self._prompts["write_question"], QuestionAnswer, variables)
        return " ".join(written.question.split()) or query.text

    async def _read(
        self,
        name: str,
        variables: Mapping[str, str],
        text: str,
        context: str | None,
        query: Query,
        block: Evidence,
    ) -> "_Reading":
        """What the model reads in the block, compared with the text."""
        prompt, source = self._prompts[name], quoted_evidence(block)
        variables = {"evidence": source, **variables}
        answered, probability = await self._model.ask_likely(prompt, ReadingAnswer, variables)
        answer = prompt.quoted(source).original(answered.answer).strip()
        answer = await work(self._comparison.as_stated, answer, block.text)
        passage = await work(self._comparison.answered_passage, block, query, answer)
        compared = await work(self._comparison.compared_answer, text, context, query, passage, answer)
        return _Reading(answer, probability or 0.0, passage, compared)


class _Reading(NamedTuple):
    """An answer, its probability (0 where the server gives none), the sentences with it, the comparison."""

    answer: str
    probability: float
    passage: Evidence
    compared: ComparedAnswer

    @property
    def verdict(self) -> Verdict:
        return self.compared.agreement.verdict

    @property
    def doubt(self) -> str:
        return self.compared.doubt

    def agreement(self, *, doubted: bool = False) -> Agreement:
        """The agreement by this reading; `doubted`: an edit is only suggested."""
        agreement = self.compared.agreement.model_copy(update={"read_in": self.passage})
        if not doubted:
            return agreement
        reason = f"{agreement.reason}, but {self.doubt or 'the model is not sure of it'}"
        return agreement.model_copy(update={"confidence": DOUBTED, "reason": reason})

    def unconfirmed(self, other: str = "") -> Agreement:
        """`unknown`, because a second reading has another answer, or there is none."""
        agreement = self.compared.agreement
        reason = f"{agreement.reason}; asked another way, it answers {other!r}" if other else agreement.reason
        return agreement.model_copy(update={"verdict": "unknown", "reason": reason, "read_in": self.passage})
