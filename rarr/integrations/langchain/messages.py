"""Reads the text of messages and what tools returned, and puts a revised text back into its message."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from rarr.agent.inputs import text_of
from rarr.records.postprocessing import Postprocessed
from rarr.retrievers.given_passages import Given

Content = str | list[str | dict[str, Any]]
_GAP = "\n\n"
"""What stands for blocks of other kinds, such as images, between two blocks of text."""
_TEXT = ("text", "content", "page_content", "snippet", "raw_content")
_ADDRESS = ("url", "link", "href", "source")


def answer_text(message: AIMessage) -> str | None:
    """Returns the text of an answer; None for a message that calls tools or has no text."""
    text = _joined(message.content)
    return text if text.strip() and not message.tool_calls else None


def turn(message: BaseMessage) -> dict[str, Any]:
    """Returns a message as {"role": ..., "content": ...}, with its text as content.

    Instructions and results of tools keep their own role.
    """
    role = {"ai": "assistant", "human": "user"}.get(message.type.removesuffix("MessageChunk").lower())
    return {"role": role or message.type, "content": _joined(message.content)}


def with_result(message: AIMessage, result: Postprocessed) -> AIMessage:
    """Returns the message with the text of `result`, and with the record in its `response_metadata`."""
    content = _replaced(message.content, result.text) if result.changed else message.content
    metadata = message.response_metadata | {"rarr": result.model_dump(mode="json")}
    return message.model_copy(update={"content": content, "response_metadata": metadata})


def _joined(content: Content) -> str:
    """Joins the texts of the blocks as they are, since providers cut a sentence into several blocks."""
    text, last = "", 0
    for number, block in enumerate([content] if isinstance(content, str) else content):
        if own := _block_text(block):
            text += (_GAP if text and last < number - 1 else "") + own
            last = number
    return text


def _block_text(block: str | dict[str, Any]) -> str:
    if isinstance(block, str):
        return block
    text = block.get("text") if block.get("type") == "text" else None
    return text if isinstance(text, str) else ""


def _replaced(content: Content, revised: str) -> Content:
    """Puts the revised text into the first block with text; blocks of other kinds stay.

    Annotations of a text go, because they tell places in the text as it was.
    """
    if isinstance(content, str):
        return revised
    first = next(block for block in content if _block_text(block))
    made = revised if isinstance(first, str) else {"type": "text", "text": revised}
    return [
        made if block is first else block for block in content if block is first or not _block_text(block)
    ]


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


def _of_tool(message: ToolMessage) -> Sequence[Given]:
    """Returns the documents of a tool, or else the search results in its text, or else its text."""
    if documents := list(_documents(message.artifact)):
        return documents
    text = text_of(message.content)
    if (results := _search_results(text)) is not None:
        return results
    return [{"text": text, "title": message.name or ""}] if text.strip() else []


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
    for result in results:
        if not (isinstance(result, dict) and any(isinstance(result.get(key), str) for key in _ADDRESS)):
            return None
    return [result for result in results if any(map(result.get, _TEXT))]
