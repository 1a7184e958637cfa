"""Reads the question or the conversation that an answer belongs to."""

from collections.abc import Mapping, Sequence
from typing import Any

from rarr.errors import InputError
from rarr.tools.text.plurals_and_articles import kind_of

Message = Mapping[str, Any]
"""A message as chat APIs have it: "role" and "content", which is a text or a list of blocks."""

LONGEST = 4000
"""The most characters of a conversation that are read: the latest turns, and the end of a longer turn."""
_READ = ("user", "assistant", "human", "ai")
"""The roles of turns. Instructions and the results of tools are no part of the conversation."""


def context_of(question: str | Sequence[Message] | None, answer: str) -> str | None:
    """Returns the question, or the latest turns of a conversation as one text; None without words.

    Turns are messages of the user and the assistant, about 4,000 characters of them. The answer itself at the
    end of a conversation is left out. Raises `InputError` for anything else.
    """
    if question is None or isinstance(question, str):
        return question if question and question.strip() else None
    if not isinstance(question, Sequence):
        raise InputError(f"question is {kind_of(question)}: give a str, or a list of messages")
    turns = [text for text in map(_turn, question) if text.strip()]
    if turns and turns[-1].strip() == answer.strip():
        turns.pop()
    kept: list[str] = []
    left = LONGEST
    for turn in reversed(turns):
        if kept and len(turn) > left:
            break
        kept.append(turn[-LONGEST:])
        left -= len(turn)
    return "\n\n".join(reversed(kept)) or None


def _turn(message: object) -> str:
    """Returns the text of a message of the user or the assistant; "" for other roles.

    Raises `InputError` for a message without a role.
    """
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise InputError('a message of question has no role: give {"role": "user", "content": "..."}')
    return text_of(message.get("content")) if message["role"] in _READ else ""


def text_of(content: object) -> str:
    """Returns the text of a message's content: a string, or blocks of which some hold text."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list | tuple) else ()
    texts = [block if isinstance(block, str) else _block_text(block) for block in blocks]
    return "\n".join(text for text in texts if text)


def _block_text(block: object) -> str:
    text = block.get("text") if isinstance(block, Mapping) else None
    return text if isinstance(text, str) else ""
