"""Reads the text of a message, and puts a revised text back into its blocks."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage

from rarr.evals.word_diff import word_diff
from rarr.records.postprocessing import Postprocessed

Content = str | list[str | dict[str, Any]]
_GAP = "\n\n"
"""What stands for blocks of other kinds, such as images, between two blocks of text."""


class _ContentText(NamedTuple):
    """A block with text: its number in the content, and where it begins in the text of the message."""

    number: int
    start: int


def answer_text(message: AIMessage) -> str | None:
    """Returns the text of an answer; None for a message that calls tools or has no text."""
    text = _joined(message.content)[0]
    return text if text.strip() and not message.tool_calls else None


def with_result(message: AIMessage, result: Postprocessed) -> AIMessage:
    """Returns the message with the text of `result`, and with the record in its `response_metadata`."""
    content = _replaced(message.content, result.text) if result.changed else message.content
    metadata = message.response_metadata | {"rarr": result.model_dump(mode="json")}
    return message.model_copy(update={"content": content, "response_metadata": metadata})


def turn(message: BaseMessage) -> dict[str, Any]:
    """Returns a message as {"role": ..., "content": ...}, with its text as content.

    Instructions and results of tools keep their own role.
    """
    role = {"ai": "assistant", "human": "user"}.get(message.type.removesuffix("MessageChunk").lower())
    return {"role": role or message.type, "content": _joined(message.content)[0]}


def _joined(content: Content) -> tuple[str, list[_ContentText]]:
    """Joins the texts of the blocks as they are, since providers cut a sentence into several blocks."""
    text, blocks = "", list[_ContentText]()
    for number, block in enumerate([content] if isinstance(content, str) else content):
        if own := _block_text(block):
            if blocks and blocks[-1].number < number - 1:
                text += _GAP
            blocks.append(_ContentText(number, len(text)))
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
    places = _ContentPlaces(text, revised)
    starts = [0, *(places.moved(block.start) for block in blocks[1:])]
    ends = [*starts[1:], len(revised)]
    following = [*(block.number for block in blocks[1:]), None]
    replaced = list(content)
    for block, start, end, next_number in zip(blocks, starts, ends, following, strict=True):
        own, old = revised[start:end], content[block.number]
        if next_number is not None and next_number > block.number + 1:
            own = own.removesuffix(_GAP)
        if own != _block_text(old):
            replaced[block.number] = (
                own if isinstance(old, str) else _moved_block(old, own, block.start, start, places)
            )
    return replaced


class _ContentPlaces:
    """Maps places in a text, as offsets of characters, to places in its revision."""

    def __init__(self, before: str, after: str) -> None:
        self._segments = word_diff(before, after)

    def moved(self, place: int) -> int:
        """Returns the place in the revision; words put in at `place`, such as a citation, stand before it."""
        old = new = 0
        for kind, text, _ in self._segments:
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


def _moved_block(
    block: dict[str, Any], text: str, start: int, new_start: int, places: _ContentPlaces
) -> dict[str, Any]:
    """Returns a block with its new text, and with the places of its annotations in that text."""
    made = {**block, "text": text}
    if isinstance(annotations := block.get("annotations"), Sequence):
        made["annotations"] = [
            {
                **note,
                **{
                    key: places.moved(start + note[key]) - new_start
                    for key in ("start_index", "end_index")
                    if isinstance(note.get(key), int)
                },
            }
            for note in annotations
        ]
    return made
