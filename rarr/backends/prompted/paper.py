"""Checks and edits by a language model as published (Gao et al. 2023), and the baselines to compare with.

The checker gives the answers of text and evidence to one query, and then the verdict, which decides alone.
The editor names the wrong words, and then writes the whole text anew. EFEC and LaMDA rewrite a text by all
its evidence at once.
"""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import (
    NOTHING,
    Prompted,
    of_written,
    quoted_evidence,
)
from rarr.components import Lacking
from rarr.records import Agreement, Change, Check, Evidence, Query, Question
from rarr.tools.guard.quotation import Quotation, quoted
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.folding import difference

BETWEEN = "\n* * *\n"  # separates two evidences
SEARCHES = 4  # searches of LaMDA for one text, at most


class EditAnswer(BaseModel):
    """The model's answer: the words to change (`span`), and the whole text with other words there."""

    span: str = ""
    revision: str


class PromptedChecker(Prompted):
    """Asks a language model whether text and evidence answer a query alike."""

    prompt = "check_agreement_paper"

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


class RewriteAnswer(BaseModel):
    """The model's answer: the rewritten words."""

    revision: str


class PromptedRewriter(Prompted):
    """A rewriter that shows a language model all evidence at once, and sets no limit on the changes.

    It corrects the text (EFEC: Thorne and Vlachos 2021), or with the prompt `rewrite_text` writes it anew
    (LaMDA Research: Thoppilan et al. 2022), in one call.
    """

    prompt = "correct_text"

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        """Returns the model's new text, or the old text for an empty answer."""
        distinct = dict.fromkeys(quoted_evidence(item) for item in evidence)
        variables = {"context": context or NOTHING, "text": text, "evidence": BETWEEN.join(distinct)}
        prompt = of_written(self._prompts[self.prompt], text, variables["evidence"])
        answer = await self._model.ask(prompt, RewriteAnswer, variables)
        return quoted(prompt, text).original(answer.revision).strip() or text


class SearchesAnswer(BaseModel):
    """The model's answer: the searches that it would make."""

    queries: list[str]


class PromptedSearches(Prompted):
    """The research of LaMDA (Thoppilan et al. 2022): the model writes its own searches about a whole text.

    It writes them in one call. LaMDA itself reads the results of a search before it writes the next.
    """

    prompt = "search_queries"

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns the searches that the model writes, at most four; each is about the whole text."""
        variables = {"context": context or NOTHING, "text": text}
        answer = await self._model.ask(self._prompts[self.prompt], SearchesAnswer, variables)
        queries = dict.fromkeys(words for query in answer.queries if (words := " ".join(query.split())))
        return [Question(text=query, start=0, end=len(text)) for query in list(queries)[:SEARCHES]]

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Returns no queries: the text is rewritten only once."""
        return ()


class NoRewriter:
    """Leaves the text unchanged: research and report without a revision."""

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        """Returns the text, unchanged."""
        return text
