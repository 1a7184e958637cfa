"""Searches passages that the caller has at hand, such as those that a model was given for its answer."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rarr.errors import InputError
from rarr.records import Passage
from rarr.retrievers.extract.extracted_document import published
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.rerank.overlap import OverlapIndex
from rarr.retrievers.web.nearest_passages import nearest_by_source
from rarr.tools.text.wording import kind_of
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
            facts = given_facts(given, number)
            self._characters += len(facts.text)
            self.sources.append(facts.source or f"passage {number}")
            self._passages += passages_of(
                facts.text, source=self.sources[-1], title=facts.title or _heading(facts.text),
                window=window, step=step, retrieved_at=now, published_at=facts.published_at,
                offset=facts.start,
            )  # fmt: skip
        self._index = OverlapIndex(self._passages)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Finds passages of the `k` sources nearest to `query`, best first; at most 8 of each source.

        A source without a word in common is returned too: it was given for this text.
        """
        return await asyncio.to_thread(nearest_by_source, self._passages, query, k, self._index)

    @property
    def if_all_fit(self) -> tuple[Passage, ...]:
        """All passages, if they can be shown in each request to a model; else none."""
        return tuple(self._passages) if self._characters <= SHOWN_CHARACTERS else ()

    def of_source(self, source: str) -> list[Passage]:
        """Returns all passages of one source."""
        return [passage for passage in self._passages if passage.source == source]


# The names under which loaders, splitters and search services store the text, the source and the date.
_TEXTS = ("text", "content", "page_content", "snippet", "body", "raw_content", "description")
_SOURCES = ("source", "url", "link", "href", "path", "file_path", "filename", "file_name")
_DATES = ("published_at", "published", "published_date", "publish_date", "date")


class DocumentFacts(NamedTuple):
    """The text of a document, with its source ("" if it is not known), and where it begins in the source."""

    text: str
    source: str
    title: str
    published_at: datetime | None
    start: int


def document_facts(text: str, metadata: Mapping[str, Any]) -> DocumentFacts:
    """Reads the facts about a document from its metadata, as loaders and splitters store them."""
    start = metadata.get("start_index")
    return DocumentFacts(
        text=valid(text),
        source=valid(str(_first(metadata, _SOURCES) or "")),
        title=valid(str(metadata.get("title") or "")),
        published_at=published(_first(metadata, _DATES)),
        start=start if isinstance(start, int) and start > 0 else 0,
    )


def result_facts(result: Mapping[str, Any]) -> DocumentFacts | None:
    """Reads a search result, such as {"text": ..., "url": ..., "title": ...}; None if it holds no text."""
    text = next((result[name] for name in _TEXTS if isinstance(result.get(name), str) and result[name]), None)
    if text is None:
        return None
    metadata = result.get("metadata")
    return document_facts(text, {**metadata, **result} if isinstance(metadata, Mapping) else result)


def _first(metadata: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((metadata[name] for name in names if metadata.get(name)), None)


def given_facts(given: object, number: int) -> DocumentFacts:
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
