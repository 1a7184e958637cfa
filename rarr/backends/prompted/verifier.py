"""Asks a language model whether evidence supports each sentence: AttrScore's classes (Yue et al. 2023)."""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import (
    ANSWER_TOKENS,
    EVIDENCE_TOKENS,
    NOTHING,
    SENTENCE_TOKENS,
    Prompts,
    quoted_evidence,
)
from rarr.records import AttributionClass, Evidence, ExpectedUsage
from rarr.tools.concurrency import together, work
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.blocks_and_sentences import Span, sentences, table_cells

_PROMPT = "judge_attribution"


class AttributionAnswer(BaseModel):
    """The model's answer: the class of the sentence, and why."""

    reason: str = ""
    verdict: AttributionClass


class PromptedVerifier:
    """A verifier that asks a language model, once for each sentence and evidence.

    Support is 1 if the evidence supports the sentence fully, else 0.
    """

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompts = model, prompts

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage for one sentence and one evidence."""
        return self._model.expected(
            self._prompts[_PROMPT], 2 * SENTENCE_TOKENS + EVIDENCE_TOKENS, ANSWER_TOKENS
        )

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns 1 or 0 for each sentence at `spans`. Raises `ModelError` for one without a judgement."""
        classes = await self.classify(text, context, spans, evidence)
        return [1.0 if attribution == "attributable" else 0.0 for attribution in classes]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass]:
        """Returns the class of each sentence at `spans`, all asked at the same time.

        Raises `ModelError` for a sentence without a judgement.
        """
        asked = await work(_support_variables, text, context, spans, evidence)
        prompt = self._prompts[_PROMPT]
        judged = await together(
            *(self._model.ask(prompt, AttributionAnswer, variables) for variables in asked)
        )
        return [answer.verdict for answer in judged]


def _support_variables(
    text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
) -> list[dict[str, str]]:
    """Returns the variables of a prompt about the support of each sentence of `text` at `spans`."""
    return [
        {"before": before, "text": _sentence_text(text, span), "evidence": quoted_evidence(evidence)}
        for before, span in zip(_before(text, context, spans), spans, strict=True)
    ]


def _before(text: str, context: str | None, spans: Sequence[Span]) -> list[str]:
    """Returns for each span the sentence before it; for the first sentence of the text, the context."""
    earlier = [[sentence for sentence in sentences(text) if sentence.end <= span.start] for span in spans]
    return [_sentence_text(text, preceding[-1]) if preceding else context or NOTHING for preceding in earlier]


def _sentence_text(text: str, span: Span) -> str:
    """Returns the sentence; for a table cell, a statement of the cell with its headers."""
    cell = table_cells(text).get(span)
    return span.of(text) if cell is None else cell.statement(text)
