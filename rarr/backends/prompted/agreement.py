"""Asks a language model whether evidence agrees with the text (Gao et al. 2023, section 3.3).

The model gives the answers of text and evidence to the query, and then the verdict, which decides alone.
"""

from functools import partial

from pydantic import BaseModel

from rarr.backends.prompted.prompt_text_selection import quoted_evidence, scope_of
from rarr.backends.prompted.prompts import Prompts
from rarr.records import Agreement, Evidence, ExpectedUsage, Query, Verdict
from rarr.tools.concurrency import work
from rarr.tools.models.language_model import LanguageModel


class AgreementAnswer(BaseModel):
    """The model's answer: both answers to the query, the reason and the verdict."""

    text_answer: str = ""
    evidence_answer: str = ""
    reason: str = ""
    verdict: Verdict


class PromptedChecker:
    """An agreement checker that asks a language model, once for each query and evidence."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, whole_text: bool) -> None:
        """`whole_text`: the model reads the whole text, and not only the sentences of the query."""
        self._model, self._prompts, self._whole_text = model, prompts, whole_text

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one check."""
        return self._prompts.expected(
            self._model, "check_agreement_paper", text, context, whole=self._whole_text
        )

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Asks the model for answers and a verdict.

        Raises `ModelError` for an answer that cannot be parsed, because it is no verdict.
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
        return Agreement(
            text_answer=prompt.quoted(looked_at).original(answer.text_answer),
            evidence_answer=prompt.quoted(quoted_evidence(evidence)).original(answer.evidence_answer),
            reason=answer.reason,
            verdict=answer.verdict,
        )
