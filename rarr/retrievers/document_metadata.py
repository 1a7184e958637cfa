"""Reads what other programs store beside the text of a document or of a search result."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from rarr.retrievers.extract.extracted_document import published
from rarr.valid_unicode import valid

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
