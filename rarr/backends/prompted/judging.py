"""Asks a language model to judge the support by evidence, the intent of a revision, or a short answer."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator

from rarr.backends.prompted.prompts import NOTHING, ModelAsker, titled_evidence
from rarr.errors import SettingsError
from rarr.prompts import Prompt
from rarr.records import AttributionClass, Evidence
from rarr.settings import EMBEDDED
from rarr.tools.concurrency import together, work
from rarr.tools.text.blocks_and_sentences import Span, sentences, table_cells

NLI, ATTRSCORE = PREFIXES = ("nli:", "attrscore:")
"""Prefixes in the names of judges: a Hugging Face model, or a wording of AttrScore."""
WORDINGS = ("attribution", "facts", "nli", "summary")
"""The names of the prompts that AttrScore compares for this task (Yue et al. 2023)."""


def is_language_model(judge: Any) -> bool:
    """Tells whether a judge is a language model or its name. Names such as "nli:MODEL" do not count."""
    return not isinstance(judge, str) or (judge not in EMBEDDED and not judge.startswith(PREFIXES))


def parse_judge(judge: Any, model: Any) -> tuple[str, Any]:
    """Returns the prompt's name and the model of a judge. The judge "attrscore:WORDING" uses `model`.

    Raises `SettingsError` for an unknown wording, or if "attrscore" gets no language model.
    """
    if not isinstance(judge, str) or not judge.startswith(ATTRSCORE):
        return "judge_attribution", judge
    wording, _, name = judge.removeprefix(ATTRSCORE).partition(":")
    if wording not in WORDINGS or not is_language_model(name or model):
        raise SettingsError(f"judge {judge!r}: give attrscore:WORDING:MODEL, WORDING {', '.join(WORDINGS)}")
    return f"judge_as_{wording}", name or model


class AttributionAnswer(BaseModel):
    """The answer of the model: the class of the sentence (Yue et al. 2023), and the reason."""

    reason: str = ""
    verdict: AttributionClass


def _answer_schema(prompt: Prompt) -> type[AttributionAnswer]:
    words = prompt.labels or {}

    class Worded(AttributionAnswer):
        verdict: Annotated[AttributionClass, BeforeValidator(lambda it: words.get(str(it).casefold(), it))]

    return Worded


class PromptedVerifier(ModelAsker):
    """A verifier that asks a language model once for each sentence and evidence.

    The support is 1 if the evidence fully supports the sentence, and 0 otherwise. A prompt of AttrScore shows
    the context and the sentence as one claim (Yue et al. 2023).
    """

    prompt = "judge_attribution"

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float]:
        """Returns 1 for each supported sentence, else 0. Raises `ModelError` if a judgement is missing."""
        return [float(it == "attributable") for it in await self.classify(text, context, spans, evidence)]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass]:
        """Returns the class of each sentence at `spans`. Raises `ModelError` if a class is missing."""
        asked, prompt = await work(_sentences_in_context, text, context, spans), self._prompts[self.prompt]
        if "claim" in prompt.variables:
            asked = [{"claim": f"{context or ''} {each['text']}".strip()} for each in asked]
        shape, shown = _answer_schema(prompt), {"evidence": titled_evidence(evidence)}
        calls = (self._model.ask(prompt, shape, variables | shown) for variables in asked)
        return [answer.verdict for answer in await together(*calls)]


def _sentences_in_context(text: str, context: str | None, spans: Sequence[Span]) -> list[dict[str, str]]:
    """Returns prompt variables of each sentence: `text`, and `before` (the sentence before, or `context`)."""
    judged = []
    for span in spans:
        earlier = [sentence for sentence in sentences(text) if sentence.end <= span.start]
        before = _sentence_text(text, earlier[-1]) if earlier else context or NOTHING
        judged.append({"before": before, "text": _sentence_text(text, span)})
    return judged


def _sentence_text(text: str, span: Span) -> str:
    """Returns the sentence at `span`. For a table cell, makes a statement with the headers of the cell."""
    cell = table_cells(text).get(span)
    return span.of(text) if cell is None else cell.statement(text)


IntentLevel = Literal["not", "somewhat", "completely"]
AnswerLevel = Literal["completely wrong", "mostly wrong", "half right", "mostly right", "perfect"]


class IntentAnswer(BaseModel):
    """The answer of the model: how well a revision keeps the intent (Gao et al. 2023), and the reason."""

    reason: str = ""
    level: IntentLevel


class LevelAnswer(BaseModel):
    """The answer of the model: how right an answer is, compared with right answers, and the reason.

    Chen 2023 (chapter 3) proposes such levels as the successor of learned scores.
    """

    reason: str = ""
    level: AnswerLevel


class PromptedRater(ModelAsker):
    """Rates revisions and answers by a language model. Methods raise the errors of `LanguageModel.ask`."""

    async def rate_intent(self, original: str, revised: str, context: str | None) -> float:
        """Rates how far a revision still says what the text intends: 1 (completely), 0.5 (somewhat) or 0."""
        given = {"context": context or NOTHING, "original": original, "revised": revised}
        judged = await self._model.ask(self._prompts["judge_intent"], IntentAnswer, given)
        return _level_score(judged.level, get_args(IntentLevel))

    async def score_answer(
        self, answer: str, references: Sequence[str], question: str | None, passage: str | None
    ) -> float:
        """Rates an answer from 0 to 1, in steps of 0.25. `references` are right answers."""
        given = {"passage": passage or NOTHING, "question": question or NOTHING}
        given |= {"references": "\n".join(references), "answer": answer}
        rated = await self._model.ask(self._prompts["score_answer"], LevelAnswer, given)
        return _level_score(rated.level, get_args(AnswerLevel))


def _level_score(level: str, levels: Sequence[str]) -> float:
    return levels.index(level) / (len(levels) - 1)
