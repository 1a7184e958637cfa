"""Checks and edits a text as in the paper (Gao et al. 2023), and as in the baselines EFEC and LaMDA.

The model answers a query from the text and from the evidence, and then gives a verdict; only the verdict
counts. The editor names the wrong words, and then writes the whole text again. The baselines rewrite a text
in one request, with all evidence.
"""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, ModelAsker, titled_evidence, with_answer_limit
from rarr.components import SearchTargets
from rarr.records import Agreement, Change, Check, Evidence, Query, Question
from rarr.tools.guard.quotation import Quotation, quotation_of
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.folding import smallest_replacement

DIVIDER = "\n* * *\n"  # separates two evidences
MAX_SEARCHES = 4  # the most searches of LaMDA for a text


class EditAnswer(BaseModel):
    """The answer of the model: the words to change (`span`), if asked for, and the whole new text."""

    span: str = ""
    revision: str


class PromptedChecker(ModelAsker):
    """Asks a language model whether the text and the evidence give the same answer to a query."""

    prompt = "check_agreement_paper"

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Asks the model to answer the query from the text and from the evidence, and to give a verdict.

        Raises `ModelError` if the answer cannot be parsed: a failure is not a verdict.
        """
        prompt, variables = self._prompts[self.prompt], _prompt_variables(text, context, query, evidence)
        shown = await self._model.ask(prompt, Agreement, variables)
        text_answer = quotation_of(prompt, text).original_words(shown.text_answer)
        evidence_answer = quotation_of(prompt, variables["evidence"]).original_words(shown.evidence_answer)
        return shown.model_copy(update={"text_answer": text_answer, "evidence_answer": evidence_answer})


class NoChecker:
    """A checker that checks nothing, so that the editor alone decides whether to edit."""

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """Returns the verdict `unknown`, without a request."""
        return Agreement(verdict="unknown", reason="agreement is not asked about")


class PromptedEditor(ModelAsker):
    """Asks a language model to rewrite the text, so that the text answers a query as the evidence does."""

    prompt = "edit"

    async def edit(
        self, text: str, context: str | None, query: Query, check: Check, evidence: Evidence
    ) -> Change | None:
        """Returns a change from the first to the last word that the model changed; None without a change."""
        prompt, variables = self._prompts[self.prompt], _prompt_variables(text, context, query, evidence)
        answer = await self._model.ask(with_answer_limit(prompt, text), EditAnswer, variables)
        return _change_from_rewrite(quotation_of(prompt, text), answer.revision)


def _change_from_rewrite(quotation: Quotation, written: str) -> Change | None:
    """Returns the smallest change from the text that the model saw to `written`; None if they are equal."""
    shown = quotation.shown
    written = written.strip().replace("\r\n", "\n")
    if "\r\n" in shown:
        written = written.replace("\n", "\r\n")
    lead, tail = len(shown) - len(shown.lstrip()), len(shown.rstrip())
    place, new = smallest_replacement(Span(0, len(shown)), shown, shown[:lead] + written + shown[tail:])
    if place.of(shown) == new:
        return None
    start, end = quotation.original_span(*place)
    return Change(start=start, end=end, new=quotation.original_words(new))


def _prompt_variables(text: str, context: str | None, query: Query, evidence: Evidence) -> dict[str, str]:
    shown = titled_evidence(evidence)
    return {"context": context or NOTHING, "text": text, "query": query.text, "evidence": shown}


class PromptedRewriter(ModelAsker):
    """A rewriter that asks a language model once, with all evidence. The model may change the whole text.

    The default prompt corrects the text (EFEC, Thorne and Vlachos 2021). The prompt `rewrite_text` writes a
    new text (LaMDA Research, Thoppilan et al. 2022).
    """

    prompt = "correct_text"

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        """Returns the text that the model wrote; the old text if the answer is empty."""
        distinct = dict.fromkeys(titled_evidence(item) for item in evidence)
        variables = {"context": context or NOTHING, "text": text, "evidence": DIVIDER.join(distinct)}
        prompt = with_answer_limit(self._prompts[self.prompt], text, variables["evidence"])
        answer = await self._model.ask(prompt, EditAnswer, variables)
        return quotation_of(prompt, text).original_words(answer.revision).strip() or text


class SearchesAnswer(BaseModel):
    """The answer of the model: queries to search for."""

    queries: list[str]


class LamdaQueries(ModelAsker):
    """A query generator as in LaMDA (Thoppilan et al. 2022): the model writes queries about a whole text.

    The model writes all queries in one request. In the paper, the model reads the results of each search
    before it writes the next query.
    """

    prompt = "search_queries"

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns at most four queries by the model. Each query is about the whole text."""
        variables = {"context": context or NOTHING, "text": text}
        answer = await self._model.ask(self._prompts[self.prompt], SearchesAnswer, variables)
        queries = dict.fromkeys(words for query in answer.queries if (words := " ".join(query.split())))
        return [Question(text=query, start=0, end=len(text)) for query in list(queries)[:MAX_SEARCHES]]

    async def target(self, text: str, context: str | None, lacking: SearchTargets) -> Sequence[Question]:
        """Returns no queries, because the text is rewritten only once."""
        return ()


class NoRewriter:
    """A rewriter that changes nothing, for a run that only searches and reports."""

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        return text
