"""Reads the question or the conversation that an answer belongs to."""

from collections.abc import Mapping, Sequence
from typing import Any

from rarr.errors import InputError
from rarr.tools.text.wording import kind_of

Message = Mapping[str, Any]
"""A message as chat APIs have it: "role" and "content", which is a text or a list of blocks."""

LONGEST = 4000
"""The most characters of a conversation that are read: the latest turns, and the ends of longer ones."""
_USER = ("user", "human")
_READ = (*_USER, "assistant", "ai")
"""The roles of turns. Instructions and the results of tools are no part of the conversation."""


def context_of(question: str | Sequence[Message] | None, answer: str) -> str | None:
    """Returns the question, or the latest turns of a conversation as one text; None without words.

    Turns are messages of the user and the assistant, about 4,000 characters of them, with the last one of the
    user among them. The answer itself at the end of a conversation is left out. Raises `InputError` for
    anything else.
    """
    if question is None or isinstance(question, str):
        return question if question and question.strip() else None
    if not isinstance(question, Sequence):
        raise InputError(f"question is {kind_of(question)}: give a str, or a list of messages")
    turns = _turns(question)
    if turns and turns[-1]["content"].strip() == answer.strip():
        turns.pop()
    return "\n\n".join(turn["content"] for turn in _latest(turns)) or None


def latest_turns(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Returns what `context_of` reads of a conversation, as messages of texts alone."""
    return _latest(_turns(messages))


def _latest(turns: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Returns the last turn, the last of the user, and earlier turns as long as they are short enough."""
    last, left = len(turns) - 1, LONGEST
    kept: dict[int, str] = {}
    asked = max((number for number, turn in enumerate(turns) if turn["role"] in _USER), default=last)
    if asked != last:  # a long turn after it must not push it out
        kept[asked] = turns[asked]["content"][-LONGEST // 2 :]
        left -= len(kept[asked])
    for number in reversed([number for number in range(len(turns)) if number not in kept]):
        text = turns[number]["content"]
        if number != last and len(text) > left:
            break
        kept[number] = text[-left:]
        left -= len(kept[number])
    return [{"role": turns[number]["role"], "content": kept[number]} for number in sorted(kept)]


def _turns(messages: Sequence[Any]) -> list[dict[str, str]]:
    texts = [(message, _turn(message)) for message in messages]
    return [{"role": message["role"], "content": text} for message, text in texts if text.strip()]


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
