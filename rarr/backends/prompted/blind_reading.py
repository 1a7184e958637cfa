"""Lets a model read each value in a source blind, without the value of the text; code compares both.

A model that sees the value copies it as the evidence's answer. So the model is shown the sentence with a
blank for the value, and fills it from the source. A difference counts only if a second reading gives it: that
of the rules, or else of the model, which writes the question that the value answers, and answers that from
the source, without the sentence.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from pydantic import BaseModel

from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.answer_token_limits import of_copied
from rarr.backends.prompted.contrast_sets import ContrastChecker
from rarr.backends.prompted.passage_surroundings import BLOCK, BlockFinder
from rarr.backends.prompted.prompt_text_selection import NOTHING, quoted_evidence
from rarr.backends.prompted.prompts import Prompts
from rarr.records import Agreement, Evidence, ExpectedUsage, Query, Verdict
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.language_model import LanguageModel

_BLOCK_TOKENS = BLOCK // 6  # a block of a usual document has 650 tokens, measured over 12 answers
_ANSWER_TOKENS = 15
UNSURE = "the model is not sure of it"
LIKELY_TWICE = 0.35
"""The least product of both probabilities at which the model is sure. A doubt about the wording alone does
not count then."""
DOUBTED = 0.6
"""The confidence in a doubted difference, whose edit is only suggested: of 26, 17 were right (a model of 1.5
billion parameters, on the tuned half of `benchmarks.answers`)."""


class ReadingAnswer(BaseModel):
    """The model's answer: words of the source, or that the source has no answer."""

    answer: str = ""


class QuestionAnswer(BaseModel):
    """The model's answer to `write_question`: a question about the marked value."""

    question: str = ""


class ComparedValues(Protocol):
    """The comparison of an answer with the text's value."""

    @property
    def agreement(self) -> Agreement:
        """The verdict of the comparison, with both answers."""

    @property
    def doubt(self) -> str:
        """The reason not to trust the verdict; empty where there is none."""

    @property
    def is_sound_but_for_wording(self) -> bool:
        """Is there no doubt, or only a doubt about the wording of the source?"""

    @property
    def is_read_by_rules(self) -> bool:
        """Do the rules read the same answer, which differs from the text's value?"""


class AnswerComparison(Protocol):
    """The rules that decide about a source before a model reads it, and compare the answer afterwards."""

    def statement_verdict(
        self, text: str, context: str | None, query: Query, evidence: Evidence
    ) -> Agreement | None:
        """Decides about a query that asks about a whole sentence; None for another query."""

    def verdict_unread(
        self, text: str, context: str | None, query: Query, evidence: Evidence
    ) -> Agreement | None:
        """Decides about a source without a model, if the rules can; None if a model must read it."""

    def query_agreement(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Checks agreement by the rules alone, without a model."""

    def as_stated(self, answer: str, text: str) -> str:
        """Returns the answer as `text` writes it, with the separators of a number."""

    def answered_passage(self, block: Evidence, query: Query, answer: str) -> Evidence:
        """Cuts the block down to the sentences that give the answer; the whole block for none."""

    def compared_answer(
        self, text: str, context: str | None, query: Query, evidence: Evidence, answer: str
    ) -> ComparedValues:
        """Compares an answer that was read in `evidence` with the text's answer to `query`."""

    def is_same_answer(self, answer: str, other: str) -> bool:
        """Do two answers have the same words or the same value?"""

    def value_sentence(self, text: str, context: str | None, query: Query) -> tuple[str, str, str] | None:
        """Returns the words before the value's sentence; the sentence with a blank for it; with it marked.

        None if no sentence of the text has the value.
        """


class BlindChecker:
    """An agreement checker whose model reads the evidence without seeing the value of the text.

    No source states a value that depends on an edit, so a follow-up query goes to `follow_ups`, which shows
    the text.
    """

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        *,
        surroundings: BlockFinder,
        comparison: AnswerComparison,
        follow_ups: PromptedChecker,
        statements: ContrastChecker | None,
    ) -> None:
        """`statements` checks the sentences that the rules cannot decide about; None: they stay undecided."""
        self._model, self._prompts, self._surroundings = model, prompts, surroundings
        self._comparison, self._follow_ups = comparison, follow_ups
        self._statements = statements

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one reading."""
        return self._model.expected(self._prompts["fill_blank"], _BLOCK_TOKENS, _ANSWER_TOKENS)

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Lets the model fill the blank from the source, and compares its answer with the text.

        About a whole sentence the rules decide, or else a choice among contrasts. Asks no model if the rules
        decide alone. Where the answer differs from the text and the rules do not read the same difference, a
        second reading must confirm it, or the verdict is `unknown`. Raises `ModelError` for an answer that
        cannot be parsed, because it is no verdict.
        """
        if query.follows:
            return await self._follow_ups.check(text, context, query, evidence)
        by_rules = await work(self._comparison.statement_verdict, text, context, query, evidence)
        if by_rules is not None:
            if by_rules.verdict in ("agrees", "disagrees") or self._statements is None:
                return by_rules
            chosen = await self._statements.check(text, context, query, evidence)
            reason = f"{by_rules.reason}, and no choice among contrasts counts"
            return chosen or by_rules.model_copy(update={"reason": reason})
        block = await self._surroundings.block(evidence)
        unread = await work(self._comparison.verdict_unread, text, context, query, block)
        if unread is not None:
            return unread
        shown = await work(self._comparison.value_sentence, text, context, query)
        if shown is None:
            return await self._asked(text, context, query, block)
        before, blanked, marked = shown
        reading = await self._read(
            "fill_blank", {"before": before or NOTHING, "sentence": blanked}, text, context, query, block
        )
        if reading.verdict in ("unknown", "irrelevant"):
            by_rules = await work(self._comparison.query_agreement, text, context, query, evidence)
            return by_rules if by_rules.verdict in ("agrees", "disagrees") else reading.agreement()
        if reading.verdict == "agrees" or reading.is_read_by_rules:
            return reading.agreement()
        question = await self._question(before, marked, query)
        return await self._read_again(question, text, context, query, block, reading)

    def is_answered(self, agreement: Agreement) -> bool:
        """Did the source answer? A worse source is then not read: the query may mean another thing there."""
        return agreement.verdict in ("agrees", "disagrees") or bool(agreement.evidence_answer)

    async def _asked(self, text: str, context: str | None, query: Query, block: Evidence) -> Agreement:
        """Checks by one reading of the query itself, for a query whose value stands in no sentence.

        A difference is `unknown`, because nothing confirms it.
        """
        reading = await self._read("read_evidence", {"query": query.text}, text, context, query, block)
        return reading.unconfirmed() if reading.verdict == "disagrees" else reading.agreement()

    async def _read_again(
        self, question: str, text: str, context: str | None, query: Query, block: Evidence, first: "_Reading"
    ) -> Agreement:
        """Reads the source again with `question`: `disagrees` if the answer is the same, else `unknown`.

        If the answer to the question cannot be compared, the answer to the query replaces it. If the model is
        not sure of both answers, the query is asked as a third reading.
        """
        second = await self._read("read_evidence", {"query": question}, text, context, query, block)
        by_query = second.verdict not in ("agrees", "disagrees")
        if by_query:
            second = await self._read("read_evidence", {"query": query.text}, text, context, query, block)
        if not await self._is_same_difference(first, second):
            return first.unconfirmed(second.answer)
        doubt = _doubt(first, second)
        if doubt == UNSURE and not by_query:
            third = await self._read("read_evidence", {"query": query.text}, text, context, query, block)
            if await self._is_same_difference(first, third) and _are_sure(first, second, third):
                doubt = ""
        return second.agreement(doubt)

    async def _is_same_difference(self, first: "_Reading", other: "_Reading") -> bool:
        """Do both readings have the same answer, which is another than the text's?"""
        answers = (first.compared.agreement.evidence_answer, other.compared.agreement.evidence_answer)
        return other.verdict == "disagrees" and await work(self._comparison.is_same_answer, *answers)

    async def _question(self, before: str, marked: str, query: Query) -> str:
        """Lets the model write a question about the marked value; the query itself if it writes none."""
        variables = {"text": before, "sentence": marked}
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
        """Asks the prompt `name` about the block, and compares the answer with the text."""
        source = quoted_evidence(block)
        prompt = of_copied(self._prompts[name], source)
        variables = {"evidence": source, **variables}
        answered, probability, _ = await self._model.ask_likely(prompt, ReadingAnswer, variables)
        answer = prompt.quoted(source).original(answered.answer).strip()
        answer = await work(self._comparison.as_stated, answer, block.text)
        passage = await work(self._comparison.answered_passage, block, query, answer)
        compared = await work(self._comparison.compared_answer, text, context, query, passage, answer)
        return _Reading(answer, probability or 0.0, passage, compared)


class _Reading(NamedTuple):
    """A model's answer, its probability (0 if the server gives none), and its comparison with the text.

    `passage` are the sentences of the source that have the answer.
    """

    answer: str
    probability: float
    passage: Evidence
    compared: ComparedValues

    @property
    def verdict(self) -> Verdict:
        return self.compared.agreement.verdict

    @property
    def doubt(self) -> str:
        return self.compared.doubt

    @property
    def is_read_by_rules(self) -> bool:
        """Do the rules read the same difference, and is nothing but the wording in doubt?"""
        return self.compared.is_read_by_rules and self.compared.is_sound_but_for_wording

    def agreement(self, doubt: str = "") -> Agreement:
        """Returns the agreement by this reading; with a `doubt`, its edit is only suggested."""
        agreement = self.compared.agreement.model_copy(update={"read_in": self.passage})
        if not doubt:
            return agreement
        reason = f"{agreement.reason}, but {doubt}"
        return agreement.model_copy(update={"confidence": DOUBTED, "reason": reason})

    def unconfirmed(self, other: str = "") -> Agreement:
        """Returns the agreement as `unknown`: a second reading answers `other`, or none confirms it."""
        agreement = self.compared.agreement
        reason = f"{agreement.reason}; asked another way, it answers {other!r}" if other else agreement.reason
        return agreement.model_copy(update={"verdict": "unknown", "reason": reason, "read_in": self.passage})


def _are_sure(*readings: _Reading) -> bool:
    """Is the product of the two highest probabilities of the readings at least 0.35?"""
    best, next_best, *_ = sorted((reading.probability for reading in readings), reverse=True)
    return best * next_best >= LIKELY_TWICE


def _doubt(first: _Reading, second: _Reading) -> str:
    """Returns the reason to suggest the edit instead of accepting it; empty for none.

    Without probabilities, two readings count as sure where there is no doubt about the wording.
    """
    for reading in (first, second):
        if not reading.compared.is_sound_but_for_wording:
            return reading.doubt
    wording = first.doubt or second.doubt
    are_unknown = 0.0 in (first.probability, second.probability)
    if _are_sure(first, second) or (are_unknown and not wording):
        return ""
    return wording or UNSURE
