"""Asks a language model to plan and write articles from numbered passages."""

from collections.abc import Sequence

from pydantic import BaseModel

from rarr.backends.prompted.prompts import NOTHING, Prompts, numbered_sources
from rarr.components import SectionSource
from rarr.records import Evidence
from rarr.tools.models.language_model import LanguageModel


class OutlineAnswer(BaseModel):
    """The model's answer: the headings of the sections."""

    sections: list[str]


class TextAnswer(BaseModel):
    """The model's answer: the text of a section."""

    text: str


class PromptedWriter:
    """A writer that asks a language model. All methods raise `ModelError` without a readable answer."""

    def __init__(self, model: LanguageModel, prompts: Prompts, *, most: int) -> None:
        """`most`: the sections of an article, at most."""
        self._model, self._prompts, self._most = model, prompts, most

    async def outline(self, topic: str, chunks: Sequence[Evidence]) -> Sequence[str]:
        """Asks for the headings of an article about `topic`."""
        variables = {"topic": topic, "most": str(self._most), "documents": numbered_documents(chunks)}
        answer = await self._model.ask(self._prompts["outline"], OutlineAnswer, variables)
        return answer.sections

    async def section(self, topic: str, sources: Sequence[SectionSource], at: int) -> str:
        """Asks for the text of the section `sources[at]`."""
        others = [source.section.heading for n, source in enumerate(sources) if n != at]
        variables = {
            "topic": topic,
            "heading": sources[at].section.heading,
            "others": "; ".join(others) or NOTHING,
            "documents": numbered_documents(sources[at].chunks),
        }
        return (await self._model.ask(self._prompts["write_section"], TextAnswer, variables)).text


def numbered_documents(chunks: Sequence[Evidence]) -> str:
    """Writes each passage on a line, with its number and title."""
    return numbered_sources(f"{chunk.title}: {chunk.text}" if chunk.title else chunk.text for chunk in chunks)
