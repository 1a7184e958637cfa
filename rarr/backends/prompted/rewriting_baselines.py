"""Asks a language model to rewrite a text, for comparison: EFEC by sentence, LaMDA the whole text."""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.answer_bounds import of_written
from rarr.backends.prompted.prompts import Prompts
from rarr.backends.prompted.shown_text import NOTHING, quoted_evidence
from rarr.records import Evidence, ExpectedUsage
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.blocks_and_sentences import Span

BETWEEN = "\n* * *\n"  # separates two evidences


class RewriteAnswer(BaseModel):
    """The model's answer: the rewritten words."""

    revision: str


class PromptedRewriter:
    """A rewriter that shows a language model all evidence at once, and sets no limit on the changes.

    One call for each sentence (EFEC: Thorne and Vlachos 2021), or for the text (LaMDA Research: Thoppilan
    et al. 2022).
    """

    def __init__(self, model: LanguageModel, prompts: Prompts, *, whole: bool) -> None:
        self._model, self._prompts, self.whole = model, prompts, whole
        self._name = "rewrite_text" if whole else "rewrite_sentence"

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one call."""
        return self._prompts.expected(self._model, self._name, text, None, whole=self.whole)

    async def rewrite(self, text: str, context: str | None, span: Span, evidence: Sequence[Evidence]) -> str:
        """Returns the model's new words for `span`, or the old words for an empty answer.

        Raises `ModelError`.
        """
        distinct = dict.fromkeys(quoted_evidence(item) for item in evidence)
        variables = {
            "context": context or NOTHING,
            "text": span.of(text),
            "evidence": BETWEEN.join(distinct),
        }
        prompt = of_written(self._prompts[self._name], variables["text"], variables["evidence"])
        answer = await self._model.ask(prompt, RewriteAnswer, variables)
        return prompt.quoted(span.of(text)).original(answer.revision).strip() or span.of(text)
