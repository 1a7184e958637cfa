"""Asks a language model about one query and one evidence, as published (Gao et al. 2023, section 3.3).

The checker gives the answers of text and evidence, and then the verdict, which decides alone. The editor
names the wrong words, and then writes the whole text anew.
"""

from pydantic import BaseModel

from rarr.backends.prompted.prompts import (
    ANSWER_TOKENS,
    EVIDENCE_TOKENS,
    NOTHING,
    Prompted,
    of_written,
    quoted_evidence,
)
from rarr.records import Agreement, Change, Check, Evidence, ExpectedUsage, Query
from rarr.tools.guard.quotation import Quotation, quoted
from rarr.tools.models.chat import estimated_tokens
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.folding import difference


class EditAnswer(BaseModel):
    """The model's answer: the words to change (`span`), and the whole text with other words there."""

    span: str = ""
    revision: str


class PromptedChecker(Prompted):
    """Asks a language model whether text and evidence answer a query alike."""

    prompt, expected = "check_agreement_paper", Prompted.usage_of_a_call

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Asks the model for both answers and a verdict.

        Raises `ModelError` for an answer that cannot be parsed, because it is no verdict.
        """
        prompt, variables = self._prompts[self.prompt], _variables(text, context, query, evidence)
        shown = await self._model.ask(prompt, Agreement, variables)
        text_answer = quoted(prompt, text).original(shown.text_answer)
        evidence_answer = quoted(prompt, variables["evidence"]).original(shown.evidence_answer)
        return shown.model_copy(update={"text_answer": text_answer, "evidence_answer": evidence_answer})


class UnaskedAgreement:
    """Checks nothing, and leaves everything to the editor."""

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns `unknown`, without reading the evidence."""
        return Agreement(verdict="unknown", reason="agreement is not asked about")


class PromptedEditor(Prompted):
    """Asks a language model to write the text anew, so that it answers a query as the evidence does."""

    prompt = "edit"

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one edit."""
        tokens = estimated_tokens([text])
        shown = tokens + estimated_tokens([context or ""]) + EVIDENCE_TOKENS
        return self._model.expected(self._prompts[self.prompt], shown, tokens + ANSWER_TOKENS)

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Returns the change from the first word that the model wrote otherwise to the last one.

        None if it wrote the same text. Raises `ModelError` for an answer that cannot be read.
        """
        prompt, variables = self._prompts[self.prompt], _variables(text, context, query, evidence)
        answer = await self._model.ask(of_written(prompt, text), EditAnswer, variables)
        return _change(quoted(prompt, text), answer.revision)


def _change(quotation: Quotation, written: str) -> Change | None:
    """Finds the words in which the written text differs from the shown one, and their place in the text."""
    shown = quotation.shown
    written = written.strip().replace("\r\n", "\n")
    if "\r\n" in shown:
        written = written.replace("\n", "\r\n")
    lead, tail = len(shown) - len(shown.lstrip()), len(shown.rstrip())
    place, new = difference(Span(0, len(shown)), shown, shown[:lead] + written + shown[tail:])
    if place.of(shown) == new:
        return None
    start, end = quotation.span(*place)
    return Change(start=start, end=end, new=quotation.original(new))


def _variables(text: str, context: str | None, query: Query, evidence: Evidence) -> dict[str, str]:
    shown = quoted_evidence(evidence)
    return {"context": context or NOTHING, "text": text, "query": query.text, "evidence": shown}
