"""Reads the text of messages and what tools returned, and puts a revised text back into its message."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from rarr.agent.postprocessing.conversation import text_of
from rarr.evals.word_diff import word_diff
from rarr.records.postprocessing import Postprocessed
from rarr.retrievers.given_passages import Given

Content = str | list[str | dict[str, Any]]
_GAP = "\n\n"
"""What stands for blocks of other kinds, such as images, between two blocks of text."""
_TEXT, _ADDRESS = ("text", "content", "snippet", "page_content"), ("url", "link", "href", "source")
_RESULT = {
    *(*_TEXT, *_ADDRESS, "title", "score", "id", "raw_content", "favicon", "published_date", "date"),
    *("metadata", "type"),
}
"""The names of what search tools return for a page. An object with other names may state more in them."""


def answer_text(message: AIMessage) -> str | None:
    """Returns the text of an answer; None for a message that calls tools or has no text."""
    text = _joined(message.content)[0]
    return text if text.strip() and not message.tool_calls else None


def turn(message: BaseMessage) -> dict[str, Any]:
    """Returns a message as {"role": ..., "content": ...}, with its text as content.

    Instructions and results of tools keep their own role.
    """
    role = {"ai": "assistant", "human": "user"}.get(message.type.removesuffix("MessageChunk").lower())
    return {"role": role or message.type, "content": _joined(message.content)[0]}


def with_result(message: AIMessage, result: Postprocessed) -> AIMessage:
    """Returns the message with the text of `result`, and with the record in its `response_metadata`."""
    content = _replaced(message.content, result.text) if result.changed else message.content
    metadata = message.response_metadata | {"rarr": result.model_dump(mode="json")}
    return message.model_copy(update={"content": content, "response_metadata": metadata})


def _joined(content: Content) -> tuple[str, list[tuple[int, int]]]:
    """Joins the texts of the blocks as they are, since providers cut a sentence into several blocks.

    Returns for each block with text its number in the content, and where it begins in the joined text.
    """
    text, blocks = "", list[tuple[int, int]]()
    for number, block in enumerate([content] if isinstance(content, str) else content):
        if own := _block_text(block):
            if blocks and blocks[-1][0] < number - 1:
                text += _GAP
            blocks.append((number, len(text)))
            text += own
    return text, blocks


def _block_text(block: str | dict[str, Any]) -> str:
    if isinstance(block, str):
        return block
    text = block.get("text") if block.get("type") == "text" else None
    return text if isinstance(text, str) else ""


def _replaced(content: Content, revised: str) -> Content:
    """Gives each block its part of the revised text; blocks of other kinds stay as they are."""
    if isinstance(content, str):
        return revised
    text, blocks = _joined(content)
    moved = _moved(text, revised)
    starts = [0, *(moved(start) for _, start in blocks[1:]), len(revised)]
    replaced = list(content)
    for at, (number, start) in enumerate(blocks):
        own, old = revised[starts[at] : starts[at + 1]], content[number]
        if at + 1 < len(blocks) and blocks[at + 1][0] > number + 1:
            own = own.removesuffix(_GAP)
        if own != _block_text(old):
            first, begins = starts[at], start
            replaced[number] = (
                own
                if isinstance(old, str)
                else _moved_block(old, own, lambda place, b=begins, f=first: moved(b + place) - f)  # type: ignore[misc]
            )
    return replaced


def _moved_block(block: dict[str, Any], text: str, moved: Callable[[int], int]) -> dict[str, Any]:
    """Returns a block with its new text, and with the places of its annotations in that text."""
    made = {**block, "text": text}
    if isinstance(annotations := block.get("annotations"), Sequence):
        made["annotations"] = [
            note
            | {
                key: moved(note[key])
                for key in ("start_index", "end_index")
                if isinstance(note.get(key), int)
            }
            for note in annotations
        ]
    return made


def _moved(before: str, after: str) -> Callable[[int], int]:
    """Returns a function that maps a place in a text to its place in the revision.

    Words put in at the place, such as a citation, stand before it.
    """
    segments = word_diff(before, after)

    def moved(place: int) -> int:
        old = new = 0
        for kind, text, _ in segments:
            end = old + len(text)
            if kind == "inserted":
                new += len(text)
            elif kind == "kept":
                if place < end:
                    return new + max(0, place - old)
                old, new = end, new + len(text)
            elif place == old:
                return new
            else:
                old = end
        return new

    return moved


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
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        return None
    filled = [
        {name: value for name, value in result.items() if name not in _TEXT or value not in (None, "")}
        for result in results
    ]
    if not all(map(_is_search_result, filled)):
        return None
    return [result for result in filled if result.keys() & set(_TEXT)]


def _is_search_result(result: dict[str, Any]) -> bool:
    texts = [result[name] for name in _TEXT if name in result]
    address = next((result[name] for name in _ADDRESS if name in result), None)
    return (
        result.keys() <= _RESULT
        and isinstance(address, str)
        and all(isinstance(text, str) and text.strip() for text in texts)
        and (bool(texts) or not result.get("raw_content"))
    )
