"""Asks a language model to write: articles and answers from numbered passages, and answers from memory."""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, Prompted, Prompts, numbered_sources, of_written
from rarr.components import SectionSource
from rarr.records import Evidence
from rarr.records.citations import CitedStatement
from rarr.tools.models.language_model import LanguageModel


class OutlineAnswer(BaseModel):
    """The model's answer: the headings of the sections."""

    sections: list[str]


class SectionAnswer(BaseModel):
    """The model's answer: the text of a section."""

    text: str


class PromptedWriter(Prompted):
    """A writer of articles that asks a language model."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, most: int) -> None:
        """`most`: the sections of an article, at most."""
        super().__init__(model, prompts)
        self._most = most

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Asks for the headings of an article about `topic`."""
        variables = {"topic": topic, "most": str(self._most), "documents": numbered_documents(chunks)}
        return (await self._model.ask(self._prompts["outline"], OutlineAnswer, variables)).sections

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Asks for the text of the section `sources[at]`."""
        others = [source.section.heading for n, source in enumerate(sources) if n != at]
        variables = {
            "topic": topic,
            "heading": sources[at].section.heading,
            "others": "; ".join(others) or NOTHING,
            "documents": numbered_documents(sources[at].chunks),
        }
        return (await self._model.ask(self._prompts["write_section"], SectionAnswer, variables)).text


def numbered_documents(chunks: Sequence[Evidence]) -> str:
    """Writes each passage on a line, with its number and title."""
    return numbered_sources(f"{chunk.title}: {chunk.text}" if chunk.title else chunk.text for chunk in chunks)


class CitedAnswer(BaseModel):
    """The model's answer: statements with citations."""

    statements: list[CitedStatement]


class PlainAnswer(BaseModel):
    """The model's answer: a paragraph."""

    answer: str


class PromptedAnswers(Prompted):
    """Asks a language model for answers: from numbered sources, or from memory."""

    async def write(self, question: str, sources: Sequence[str]) -> list[CitedStatement]:
        """Returns the statements of the answer; the first of `sources` has the number 1."""
        variables = {"question": question, "sources": numbered_sources(sources) or NOTHING}
        prompt = of_written(self._prompts["answer_with_citations"], question, least=800, tokens_each=8)
        answer = await self._model.ask(prompt, CitedAnswer, variables)
        return [statement for statement in answer.statements if statement.text.strip()]

    async def answer(self, question: str) -> str:
        """Returns a paragraph from memory, so that there is a text to revise."""
        asked = {"question": question}
        return (await self._model.ask(self._prompts["answer_question"], PlainAnswer, asked)).answer
