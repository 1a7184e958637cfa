"""Asks a language model to rewrite a whole text by all its evidence, for comparison: EFEC and LaMDA."""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, Prompted, Prompts, of_written, quoted_evidence
from rarr.components import Lacking
from rarr.records import Evidence, ExpectedUsage, Question
from rarr.tools.guard.quotation import quoted
from rarr.tools.models.language_model import LanguageModel

BETWEEN = "\n* * *\n"  # separates two evidences
SEARCHES = 4  # searches of LaMDA for one text, at most


class RewriteAnswer(BaseModel):
    """The model's answer: the rewritten words."""

    revision: str


class PromptedRewriter(Prompted):
    """A rewriter that shows a language model all evidence at once, and sets no limit on the changes.

    It corrects the text (EFEC: Thorne and Vlachos 2021), or with `anew` writes it anew (LaMDA Research:
    Thoppilan et al. 2022), in one call.
    """

    def __init__(self, model: LanguageModel, prompts: Prompts, *, anew: bool) -> None:
        super().__init__(model, prompts)
        self._name = "rewrite_text" if anew else "correct_text"

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one call."""
        return self._prompts.expected(self._model, self._name, text)

    async def rewrite(self, text: str, context: str | None, evidence: Sequence[Evidence]) -> str:
        """Returns the model's new text, or the old text for an empty answer."""
        distinct = dict.fromkeys(quoted_evidence(item) for item in evidence)
        variables = {
            "context": context or NOTHING,
            "text": text,
            "evidence": BETWEEN.join(distinct),
        }
        prompt = of_written(self._prompts[self._name], text, variables["evidence"])
        answer = await self._model.ask(prompt, RewriteAnswer, variables)
        return quoted(prompt, text).original(answer.revision).strip() or text


class SearchesAnswer(BaseModel):
    """The model's answer: the searches that it would make."""

    queries: list[str]


class PromptedSearches(Prompted):
    """The research of LaMDA (Thoppilan et al. 2022): the model writes its own searches about a whole text.

    It writes them in one call. LaMDA itself reads the results of a search before it writes the next.
    """

    def expected(self, text: str, context: str | None) -> ExpectedUsage:
        """Estimates the usage of one call."""
        return self._prompts.expected(self._model, "search_queries", text)

    async def generate(self, text: str, context: str | None) -> Sequence[Question]:
        """Returns the searches that the model writes, at most four; each is about the whole text."""
        variables = {"context": context or NOTHING, "text": text}
        answer = await self._model.ask(self._prompts["search_queries"], SearchesAnswer, variables)
        queries = dict.fromkeys(words for query in answer.queries if (words := " ".join(query.split())))
        return [Question(text=query, start=0, end=len(text)) for query in list(queries)[:SEARCHES]]

    async def target(self, text: str, context: str | None, lacking: Lacking) -> Sequence[Question]:
        """Returns no queries: the text is rewritten only once."""
        return ()
