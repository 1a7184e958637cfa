"""Asks a language model to write articles and answers from numbered passages, and answers from memory."""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, ModelAsker, Prompts, numbered_sources, with_answer_limit
from rarr.components import SectionSource
from rarr.records import Evidence
from rarr.records.citations import CitedStatement
from rarr.tools.models.language_model import LanguageModel


class OutlineAnswer(BaseModel):
    """The answer of the model: the headings of the sections."""

    sections: list[str]


class SectionAnswer(BaseModel):
    """The answer of the model: the text of a section."""

    text: str


class PromptedArticleWriter(ModelAsker):
    """A writer of articles that asks a language model."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, max_sections: int) -> None:
        super().__init__(model, prompts)
        self._max_sections = max_sections

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Returns the headings of an article about `topic`, in order."""
        variables = {"topic": topic, "most": str(self._max_sections), "documents": numbered_documents(chunks)}
        return (await self._model.ask(self._prompts["outline"], OutlineAnswer, variables)).sections

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Returns the text of the section `sources[at]` in an article about `topic`."""
        others = "; ".join(it.section.heading for n, it in enumerate(sources) if n != at) or NOTHING
        variables = {"topic": topic, "heading": sources[at].section.heading, "others": others}
        variables["documents"] = numbered_documents(sources[at].chunks)
        return (await self._model.ask(self._prompts["write_section"], SectionAnswer, variables)).text


def numbered_documents(chunks: Sequence[Evidence]) -> str:
    """Returns a line for each passage, with its number (from 1), title and text."""
    return numbered_sources(f"{chunk.title}: {chunk.text}" if chunk.title else chunk.text for chunk in chunks)


class CitedAnswer(BaseModel):
    """The answer of the model: statements with citations."""

    statements: list[CitedStatement]


class PlainAnswer(BaseModel):
    """The answer of the model: a paragraph."""

    answer: str


class PromptedAnswerWriter(ModelAsker):
    """A writer of answers that asks a language model, with numbered sources or without sources."""

    async def write(self, question: str, sources: Sequence[str]) -> list[CitedStatement]:
        """Returns the statements of an answer. A statement cites sources by number; the first source is 1."""
        variables = {"question": question, "sources": numbered_sources(sources) or NOTHING}
        prompt = with_answer_limit(self._prompts["answer_with_citations"], question, least=800, tokens_each=8)
        answer = await self._model.ask(prompt, CitedAnswer, variables)
        return [statement for statement in answer.statements if statement.text.strip()]

    async def answer_from_memory(self, question: str) -> str:
        """Returns an answer in one paragraph, as a text to revise. The model gets no sources."""
        asked = {"question": question}
        return (await self._model.ask(self._prompts["answer_question"], PlainAnswer, asked)).answer
