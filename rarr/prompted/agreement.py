"""Prompted agreement: the answers that text and evidence imply, then the verdict (Gao et al. 2023, 3.3)."""

from functools import partial

from pydantic import BaseModel

from rarr.prompted.prompts import Prompts
from rarr.prompted.scope import quoted, scope_of
from rarr.records import Agreement, Evidence, ModelUsage, Query, Verdict
from rarr.tools.language_model import LanguageModel
from rarr.tools.worker import work


class Agreed(BaseModel):
    """The model's answer."""

    text_answer: str = ""
    evidence_answer: str = ""
    reason: str = ""
    verdict: Verdict


class PromptedChecker:
    """Asks about one query and one evidence."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, whole_text: bool) -> None:
        self._model, self._prompts, self._whole_text = model, prompts, whole_text

    def expected(self, text: str, context: str | None) -> ModelUsage:
        """Of one evidence."""
        return self._prompts.expected(self._model, "check_agreement", text, context, whole=self._whole_text)

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Raises `ModelError` for an answer that cannot be read: it is no verdict."""
        scope = await work(partial(scope_of, text, query, whole=self._whole_text))
        prompt, variables = self._prompts.of(
            "check_agreement",
            context,
            before=scope.before,
            text=scope.span.of(text),
            query=query.text,
            evidence=quoted(evidence),
        )
        answer = await self._model.ask(prompt, Agreed, variables)
        return _consistent(Agreement(**answer.model_dump()))


def _consistent(said: Agreement) -> Agreement:
    """A disagreement of equal answers, or with one missing, is none that can be acted on."""
    mine, its = (" ".join(answer.casefold().split()) for answer in (said.text_answer, said.evidence_answer))
    if said.verdict != "disagrees" or (mine and its and mine != its):
        return said
    found = f"gives {its!r} for both" if mine == its else "gives an answer for one of the two alone"
    reason = f"the model says that they disagree, but {found}"
    return said.model_copy(update={"verdict": "unknown", "reason": reason})
