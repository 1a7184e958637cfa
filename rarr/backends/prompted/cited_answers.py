"""Asks a language model for an answer in statements, each with the numbers of the sources that say it."""

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel

from rarr.backends.prompted.answer_token_limits import of_written
from rarr.backends.prompted.numbered_sources import numbered_sources
from rarr.backends.prompted.prompts import Prompts
from rarr.records.answers import CitedStatement, NamedTriple
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.text.citation_brackets import BracketCitation, bracket_statements


class WrittenStatement(BaseModel):
    """A statement as the model wrote it. `named` are sources that it names in words, in free text alone."""

    text: str
    citations: list[int] = []
    needs_support: bool = False
    named: list[BracketCitation] = []


class WrittenAnswer(BaseModel):
    """The model's answer."""

    statements: list[WrittenStatement]

    @classmethod
    def of_free_text(cls, text: str) -> Self | None:
        """Reads an answer that is no JSON but text with brackets; None if it looks like broken JSON."""
        if text.lstrip().startswith(("{", "[", "```")) or '"statements"' in text:
            return None
        statements = [
            WrittenStatement(
                text=statement.text,
                citations=[each.number for each in statement.citations if each.number is not None],
                needs_support=statement.needs_support,
                named=[each for each in statement.citations if each.number is None],
            )
            for statement in bracket_statements(text)
        ]
        return cls(statements=statements) if statements else None

    def cited(self) -> list[CitedStatement]:
        """Returns the statements that are not empty."""
        return [
            CitedStatement(
                text=statement.text,
                citations=tuple(statement.citations),
                needs_support=statement.needs_support,
                named=tuple(
                    NamedTriple(entity=each.entity, relation=each.relation, value=each.value)
                    for each in statement.named
                ),
            )
            for statement in self.statements
            if statement.text.strip()
        ]


class PromptedAnswers:
    """Asks a language model to answer from numbered sources."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model, self._prompts = model, prompts

    async def write(self, question: str, sources: Sequence[str]) -> list[CitedStatement]:
        """Returns the statements of the answer; the first of `sources` has the number 1.

        Raises `ModelError` and `BudgetError`.
        """
        listed = numbered_sources(sources)
        prompt = of_written(self._prompts["answer_with_citations"], question, least=800, tokens_each=8)
        answer = await self._model.ask(
            prompt, WrittenAnswer, {"question": question, "sources": listed or "(none)"}
        )
        return answer.cited()
