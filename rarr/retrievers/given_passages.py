"""Searches passages that the caller has at hand, such as those that a model was given for its answer."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from rarr.errors import InputError
from rarr.records import Passage
from rarr.retrievers.combined import CombinedRetriever, OnFailure, SearchSource
from rarr.retrievers.document_metadata import DocumentFacts, document_facts, result_facts
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.web.nearest_passages import nearest_by_source
from rarr.tools.text.plurals_and_articles import kind_of
from rarr.valid_unicode import valid

if TYPE_CHECKING:
    from langchain_core.documents import Document

SHOWN_CHARACTERS = 12_000
"""Passages of so many characters together, about 3,000 tokens, are all shown to a model."""
_HEADING = re.compile(r"\s*#{1,6}\s+(?P<title>.*\S)")
Given: TypeAlias = "Passage | str | Document | Mapping[str, Any]"
"""A text, a record `Passage`, a document of LangChain, or a search result with its text and address."""


class GivenPassages:
    """A retriever that searches the given `passages` alone.

    A passage is a string, a record `Passage`, a document of LangChain, or a search result such as
    {"text": ..., "url": ..., "title": ...}. A passage without an address has the source "passage 1",
    "passage 2", and so on, by its place in the list. Long texts are cut into windows of `window` sentences,
    as documents are, and the Markdown heading at the start of a text without a title is its title. A
    `Passage` stays as it is, because its offsets point into another text.
    """

    offline = True  # can be used with the setting `offline`

    def __init__(self, passages: Sequence[Given], *, window: int, step: int, name: str = "passages") -> None:
        """Cuts the passages into windows. `name` is the name of the argument in errors.

        Raises `InputError` for anything but a list of such passages, none of them empty.
        """
        if isinstance(passages, str | bytes | bytearray) or not isinstance(passages, Sequence):
            raise InputError(f"{name} is {kind_of(passages)}: give a list, such as [text]")
        self.sources: list[str] = []
        """The source of each given passage, in order."""
        self._passages: list[Passage] = []
        self._characters = 0
        now = datetime.now(UTC)
        for number, given in enumerate(passages, start=1):
            if isinstance(given, Passage):
                self._characters += len(given.text)
                self._passages.append(given)
                self.sources.append(given.source)
                continue
            facts = _facts(given, number)
            self._characters += len(facts.text)
            self.sources.append(facts.source or f"passage {number}")
            self._passages += passages_of(
                facts.text, source=self.sources[-1], title=facts.title or _heading(facts.text),
                window=window, step=step, retrieved_at=now, published_at=facts.published_at,
                offset=facts.start,
            )  # fmt: skip

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Finds passages of the `k` sources nearest to `query`, best first; at most 8 of each source.

        A source without a word in common is returned too: it was given for this text.
        """
        return await asyncio.to_thread(nearest_by_source, self._passages, query, k)

    @property
    def if_all_fit(self) -> tuple[Passage, ...]:
        """All passages, if they can be shown in each request to a model; else none."""
        return tuple(self._passages) if self._characters <= SHOWN_CHARACTERS else ()

    def of_source(self, source: str) -> list[Passage]:
        """Returns all passages of one source."""
        return [passage for passage in self._passages if passage.source == source]


class GivenFirst:
    """Searches the passages given with a call (`source`) and the configured retriever (`rest`) together.

    The best document of each comes first, then the second best of each, and so on.
    """

    def __init__(self, source: GivenPassages, rest: SearchSource, *, on_failure: OnFailure) -> None:
        """`on_failure` is called where the rest cannot be searched."""
        self.source = source
        self.skipped: Sequence[tuple[str, str]] = getattr(rest, "skipped", ())
        by_name = {"the given sources": source, "the other sources": rest}
        self._both = CombinedRetriever(by_name, on_failure=on_failure)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of `k` documents, taken in turn from the given passages and from the rest."""
        return await self._both.retrieve(query, k)


def _facts(given: object, number: int) -> DocumentFacts:
    """Reads a passage that is no record. Raises `InputError` for another object, and without a text."""
    facts: DocumentFacts | None
    if isinstance(given, str):
        facts = document_facts(given, {})
    elif isinstance(given, Mapping):
        facts = result_facts(valid(dict(given)))
    elif isinstance(text := getattr(given, "page_content", None), str):
        facts = document_facts(text, getattr(given, "metadata", None) or {})
    else:
        raise InputError(
            f"passage {number} is {kind_of(given)}: give a text, a rarr.Passage, a document of LangChain, or"
            " a search result with text and url"
        )
    if facts is None or not facts.text.strip():
        raise InputError(f"passage {number} is empty: give a text, or leave it out")
    return facts


def _heading(text: str) -> str:
    """Returns the Markdown heading that a text begins with; empty for none."""
    heading = _HEADING.match(text)
    return heading["title"].strip() if heading else ""
