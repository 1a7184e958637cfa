"""Finds what the tools of an agent returned: documents, search results and texts."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from rarr.agent.postprocessing.conversation import text_of
from rarr.retrievers.given_passages import Given

_RESULT = {
    *("text", "content", "snippet", "page_content", "url", "link", "href", "source", "title", "score", "id"),
    *("raw_content", "favicon", "published_date", "date", "metadata", "type"),
}
"""The names of what search tools return for a page. An object with other names may state more in them."""
_TEXT, _ADDRESS = ("text", "content", "snippet", "page_content"), ("url", "link", "href", "source")


def tool_sources(messages: Sequence[BaseMessage]) -> list[Given]:
    """Returns the sources that tools returned since the last message of a person, in their order.

    The messages of failed tool calls are left out.
    """
    asked = max((n for n, message in enumerate(messages) if isinstance(message, HumanMessage)), default=-1)
    return [
        source
        for message in messages[asked + 1 :]
        if isinstance(message, ToolMessage) and message.status != "error"
        for source in _of_tool(message)
    ]


def _of_tool(message: ToolMessage) -> Iterator[Given]:
    """Yields the documents of a tool, and its text as far as it is not the text of the documents."""
    documents = list(_documents(message.artifact))
    yield from documents
    text = text_of(message.content)
    if (results := _search_results(text)) is not None:
        yield from results
        return
    for document in documents:
        text = re.sub(rf"(?m)^[ \t]*{re.escape(document.page_content.strip())}[ \t]*$", "\n\n", text)
    if text.strip():
        yield {"text": text, "title": message.name or ""}


def _documents(artifact: object) -> Iterator[Document]:
    if isinstance(artifact, Document):
        if artifact.page_content.strip():
            yield artifact
    elif isinstance(artifact, Mapping | list | tuple):
        for part in artifact.values() if isinstance(artifact, Mapping) else artifact:
            yield from _documents(part)


def _search_results(text: str) -> list[dict[str, Any]] | None:
    """Reads search results with addresses from JSON: a list, or an object with `results`. None for others.

    A result whose text is empty states nothing, and is left out.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    results = found.get("results") if isinstance(found, dict) else found
    if not isinstance(results, list):
        return None
    filled = [_filled(result) for result in results]
    if not all(map(_is_search_result, filled)):
        return None
    return [result for result in filled if result.keys() & set(_TEXT)]


def _filled(result: object) -> Any:
    """Returns a result without its empty texts."""
    if not isinstance(result, dict):
        return result
    return {name: value for name, value in result.items() if name not in _TEXT or value not in (None, "")}


def _is_search_result(result: object) -> bool:
    if not isinstance(result, dict) or not result.keys() <= _RESULT:
        return False
    texts = [result[name] for name in _TEXT if name in result]
    addresses = [result[name] for name in _ADDRESS if name in result]
    are_texts = all(isinstance(text, str) and text.strip() for text in texts)
    is_read = bool(texts) or not result.get("raw_content")
    return bool(addresses) and is_read and are_texts and isinstance(addresses[0], str)
