"""The baselines for comparison: EFEC and LaMDA rewrite a whole text by all its evidence, or nothing does."""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, Prompted, of_written, quoted_evidence
from rarr.components import Lacking
from rarr.records import Evidence, Question
from rarr.tools.guard.quotation import quoted

BETWEEN = "\n* * *\n"  # separates two evidences
SEARCHES = 4  # searches of LaMDA for one text, at most


class RewriteAnswer(BaseModel):
    """The model's answer: the rewritten words."""

    revision: str


class PromptedRewriter(Prompted):
    """A rewriter that shows a language model all evidence at once, and sets no limit on the changes.

    It corrects the text (EFEC: Thorne and Vlachos 2021), or with the prompt `rewrite_text` writes it anew
    (LaMDA Research: Thoppilan et al. 2022), in one call.
    """

    prompt, expected = "correct_text", Prompted.usage_of_a_call

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

    prompt, expected = "search_queries", Prompted.usage_of_a_call

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
