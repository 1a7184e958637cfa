"""Asks a language model whether evidence agrees with the text (Gao et al. 2023, section 3.3).

The model gives the answers of text and evidence to the query, and then the verdict.

A verdict counts only if its answers occur in the text and in the passage. A passage may talk a model into
an answer, so the answer is no evidence unless the passage itself has it.
"""

from functools import partial
from typing import Protocol

from pydantic import BaseModel

from rarr.backends.prompted.prompt_text_selection import quoted_evidence, scope_of
from rarr.backends.prompted.prompts import Prompts
from rarr.records import Agreement, Evidence, ExpectedUsage, Query, Verdict
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.language_model import LanguageModel


class AgreementAnswer(BaseModel):
    """The model's answer: both answers to the query, the reason and the verdict."""

    text_answer: str = ""
    evidence_answer: str = ""
    reason: str = ""
    verdict: Verdict


class AnswerReader(Protocol):
    """The code that checks the short answers of a model."""

    def is_stated(self, answer: str, text: str) -> bool:
        """Does `text` have `answer`, by its words or its values?"""

    def has_other_values(self, answer: str, text: str, other: str, passage: str) -> bool:
        """Do both answers have values of one kind, and no two of them with the same meaning?"""


class PromptedChecker:
    """An agreement checker that asks a language model, once for each query and evidence."""

    def __init__(
        self,
        model: LanguageModel,
        prompts: Prompts,
        *,
        whole_text: bool,
        reader: AnswerReader,
        needs_both_answers: bool = True,
    ) -> None:
        """Without `needs_both_answers`, a disagreement counts although the model gives no answer.

        So it does in the paper, whose gate reads the verdict alone.
        """
        self._model, self._prompts, self._whole_text = model, prompts, whole_text
        self._reader, self._needs_both_answers = reader, needs_both_answers

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one check."""
        return self._prompts.expected(
            self._model, "check_agreement_paper", text, context, whole=self._whole_text
        )

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Asks the model for answers and a verdict, and checks its answers against text and passage.

        `unknown` if the verdict does not fit its answers, or if an answer does not occur in the text or
        passage that it is from. Raises `ModelError` for an answer that cannot be parsed, because it is no
        verdict.
        """
        scope = await work(partial(scope_of, text, query, whole=self._whole_text))
        looked_at = scope.span.of(text)
        prompt, variables = self._prompts.of(
            "check_agreement_paper",
            context,
            before=scope.before,
            text=looked_at,
            query=query.text,
            evidence=quoted_evidence(evidence),
        )
        answer = await self._model.ask(prompt, AgreementAnswer, variables)
        agreement = Agreement(
            text_answer=prompt.quoted(looked_at).original(answer.text_answer),
            evidence_answer=prompt.quoted(quoted_evidence(evidence)).original(answer.evidence_answer),
            reason=answer.reason,
            verdict=answer.verdict,
        )
        read = "\n".join(filter(None, (context, scope.before, looked_at)))
        # The consequence of an edit is calculated. It occurs in no passage, and the model must confirm it.
        passage = "" if query.follows else quoted_evidence(evidence)
        doubt = await work(self._doubt, agreement, read, passage)
        return agreement.model_copy(update={"verdict": "unknown", "reason": doubt}) if doubt else agreement

    def _doubt(self, agreement: Agreement, text: str, passage: str) -> str:
        """Returns the reason not to act on a verdict; empty for none. An empty `passage` is not checked."""
        if agreement.verdict not in ("agrees", "disagrees"):
            return ""
        text_answer, evidence_answer = (
            " ".join(answer.split()) for answer in (agreement.text_answer, agreement.evidence_answer)
        )
        reason = ""
        lacking = not (text_answer and evidence_answer)
        counts = lacking and agreement.verdict == "disagrees" and not self._needs_both_answers
        if counts and not (text_answer or evidence_answer):
            return ""
        if agreement.verdict == "disagrees" and text_answer.casefold() == evidence_answer.casefold():
            reason = f"gives {evidence_answer!r} for both"
        elif lacking and not counts:
            reason = "gives an answer for one of the two alone"
        elif passage and evidence_answer and not self._reader.is_stated(evidence_answer, passage):
            reason = f"its answer of the evidence, {evidence_answer!r}, does not stand in the passage"
        elif text_answer and not self._reader.is_stated(text_answer, text):
            reason = f"its answer of the text, {text_answer!r}, does not stand in the text"
        elif agreement.verdict == "agrees" and self._reader.has_other_values(
            text_answer, text, evidence_answer, passage
        ):
            reason = f"its answers differ: {text_answer!r} and {evidence_answer!r}"
        verb = "agree" if agreement.verdict == "agrees" else "disagree"
        return f"the model says that they {verb}, but {reason}" if reason else ""
