"""Asks a language model to judge: support by evidence, the intent of a revision, the level of an answer."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator

from rarr.backends.prompted.prompts import (
    ANSWER_TOKENS,
    EVIDENCE_TOKENS,
    NOTHING,
    SENTENCE_TOKENS,
    Prompted,
    quoted_evidence,
)
from rarr.errors import SettingsError
from rarr.prompts import Prompt
from rarr.records import AttributionClass, Evidence, ModelUsage
from rarr.settings import EMBEDDED
from rarr.tools.concurrency import together, work
from rarr.tools.text.blocks_and_sentences import Span, sentences, table_cells

NLI, ATTRSCORE, DECISIONS = PREFIXES = ("nli:", "attrscore:", "decisions:")
"""The prefixes of judges of support: a Hugging Face model, a wording of AttrScore, a decision endpoint."""
WORDINGS = ("attribution", "facts", "nli", "summary")
"""The wordings of the task that AttrScore compares (Yue et al. 2023)."""


def is_language_model(judge: Any) -> bool:
    """Is the judge, a name or an object, a language model?"""
    return not isinstance(judge, str) or (judge not in EMBEDDED and not judge.startswith(PREFIXES))


def asked_by(judge: Any, model: Any) -> tuple[str, Any]:
    """Returns the prompt of a judge, and whom it asks: `model`, unless the judge is attrscore:WORDING:NAME.

    Raises `SettingsError` for an unknown wording, and without a language model.
    """
    if not isinstance(judge, str) or not judge.startswith(ATTRSCORE):
        return "judge_attribution", judge
    wording, _, name = judge.removeprefix(ATTRSCORE).partition(":")
    if wording not in WORDINGS or not is_language_model(name or model):
        raise SettingsError(f"judge {judge!r}: give attrscore:WORDING:MODEL, WORDING {', '.join(WORDINGS)}")
    return f"judge_as_{wording}", name or model


class AttributionAnswer(BaseModel):
    """The model's answer: the class of the sentence (Yue et al. 2023), and why."""

    reason: str = ""
    verdict: AttributionClass


def _shape(prompt: Prompt) -> type[AttributionAnswer]:
    words = prompt.labels or {}

    class Worded(AttributionAnswer):
        verdict: Annotated[AttributionClass, BeforeValidator(lambda it: words.get(str(it).casefold(), it))]

    return Worded


class PromptedVerifier(Prompted):
    """A verifier that asks a language model, once for each sentence and evidence.

    Support is 1 if the evidence supports the sentence fully, else 0. With a wording of AttrScore as `prompt`,
    a sentence is shown after the context alone, as its claim is (Yue et al. 2023).
    """

    prompt = "judge_attribution"

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """Estimates the usage for one sentence and one evidence."""
        shown = 2 * SENTENCE_TOKENS + EVIDENCE_TOKENS
        return self._model.expected(self._prompts[self.prompt], shown, ANSWER_TOKENS)

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
        asked, prompt = await work(judged_sentences, text, context, spans), self._prompts[self.prompt]
        if "claim" in prompt.variables:
            asked = [{"claim": f"{context or ''} {each['text']}".strip()} for each in asked]
        shape, shown = _shape(prompt), {"evidence": quoted_evidence(evidence)}
        calls = (self._model.ask(prompt, shape, variables | shown) for variables in asked)
        return [answer.verdict for answer in await together(*calls)]


def judged_sentences(text: str, context: str | None, spans: Sequence[Span]) -> list[dict[str, str]]:
    """Returns each sentence with the one before it; before the first sentence stands the context."""
    judged = []
    for span in spans:
        earlier = [sentence for sentence in sentences(text) if sentence.end <= span.start]
        before = _sentence_text(text, earlier[-1]) if earlier else context or NOTHING
        judged.append({"before": before, "text": _sentence_text(text, span)})
    return judged


def _sentence_text(text: str, span: Span) -> str:
    """Returns the sentence; for a table cell, a statement of the cell with its headers."""
    cell = table_cells(text).get(span)
    return span.of(text) if cell is None else cell.statement(text)


IntentLevel = Literal["not", "somewhat", "completely"]
AnswerLevel = Literal["completely wrong", "mostly wrong", "half right", "mostly right", "perfect"]


class IntentAnswer(BaseModel):
    """The model's answer: how far a revision keeps the intent (Gao et al. 2023, section 2.2), and why."""

    reason: str = ""
    level: IntentLevel


class LevelAnswer(BaseModel):
    """The model's answer: the level of an answer beside right ones, and why.

    Levels are the successor of learned scores that their authors propose (Chen 2023, chapter 3).
    """

    reason: str = ""
    level: AnswerLevel


class PromptedJudge(Prompted):
    """Asks a language model for levels. Raises like `LanguageModel.ask`."""

    async def intent(self, original: str, revised: str, context: str | None) -> float:
        """Returns how far a revision keeps the intent: 1 (completely), 0.5 (somewhat) or 0 (not)."""
        given = {"context": context or NOTHING, "original": original, "revised": revised}
        judged = await self._model.ask(self._prompts["judge_intent"], IntentAnswer, given)
        return _share(judged.level, get_args(IntentLevel))

    async def score(
        self, answer: str, references: Sequence[str], question: str | None, passage: str | None
    ) -> float:
        """Returns the score of an answer, from 0 to 1 by quarters, in one call with all its references."""
        given = {"passage": passage or NOTHING, "question": question or NOTHING}
        given |= {"references": "\n".join(references), "answer": answer}
        rated = await self._model.ask(self._prompts["score_answer"], LevelAnswer, given)
        return _share(rated.level, get_args(AnswerLevel))


def _share(level: str, levels: Sequence[str]) -> float:
    return levels.index(level) / (len(levels) - 1)
