"""Reads the input of a caller: a text, and the question or conversation that the text answers."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rarr.errors import InputError
from rarr.records import Notice
from rarr.tools.models.answer_parsing import reasoning_end
from rarr.tools.text.blocks_and_sentences import count_unread_tables, html_share
from rarr.tools.text.wording import counted, kind_of, safe_text
from rarr.valid_unicode import REPLACEMENT, valid

Message = Mapping[str, Any]
"""A message of a chat API, with "role" and "content". The content is a text or a list of blocks."""
Context = str | Sequence[Message] | None
"""The question or the conversation that a text answers."""

CONTEXT_CHARS = 4000
"""The most characters of a conversation that are read. A message that is too long loses its start."""
_USER_ROLES = ("user", "human")
_READ_ROLES = (*_USER_ROLES, "assistant", "ai")  # other messages are left out, such as those of tools
_TEXT_TYPES = ("text", "text-plain", "input_text", "output_text")  # a block without a type is a text
_MOST_HTML = 0.5  # the share of a text that may be HTML without a warning


def required_text(text: object, name: str) -> str:
    """Returns `text` as valid Unicode. Raises `InputError` about `name` if `text` is empty or no `str`."""
    if not isinstance(text, str):
        raise InputError(f"{name} is {kind_of(text)}, not a str: decode or convert it first")
    if not text.strip():
        raise InputError(f"{name} is empty: give at least one sentence")
    return valid(text)


def context_text(context: str | Sequence[Message] | None, answer: str = "") -> str | None:
    """Returns a question, or the latest messages of a conversation, as one text; None if the text is empty.

    Leaves out the last message if it is `answer`. Raises `InputError` if `context` is no text or list.
    """
    if not isinstance(context, str | Sequence | None) or isinstance(context, bytes):
        raise InputError(f"context is {kind_of(context)}: give a str, or a list of messages")
    if not isinstance(context, str):
        context = "\n\n".join(turn["content"] for turn in latest_turns(context or (), answer))
    return valid(context) if context.strip() else None


def latest_turns(messages: Sequence[Any], answer: str = "") -> list[dict[str, str]]:
    """Returns the latest messages of user and assistant as turns. A turn has the role and the plain text.

    All turns together have at most 4,000 characters. Leaves out the last message if it is the `answer`.
    """
    turns = [turn for turn in map(_turn_of_message, messages) if turn["content"].strip()]
    if turns and turns[-1]["content"].strip() == answer[reasoning_end(answer) or 0 :].strip():
        turns.pop()
    last, left, kept = len(turns) - 1, CONTEXT_CHARS, dict[int, str]()
    asked = max((number for number, turn in enumerate(turns) if turn["role"] in _USER_ROLES), default=last)
    for number in dict.fromkeys((asked, last, *range(last, -1, -1))) if turns else ():
        text = turns[number]["content"]
        if number not in (asked, last) and len(text) > left:
            break
        # The user's last turn gets at most half of the characters, so that the last turn also fits.
        most = left // 2 if number == asked != last else left
        kept[number] = text[-most:]
        left -= len(kept[number])
    return [{"role": turns[number]["role"], "content": kept[number]} for number in sorted(kept)]


def _turn_of_message(message: object) -> dict[str, str]:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise InputError('a message of context has no role: give {"role": "user", "content": "..."}')
    text = message_text(message.get("content"), "\n") if message["role"] in _READ_ROLES else ""
    end = 0 if message["role"] in _USER_ROLES else reasoning_end(text)
    return {"role": message["role"], "content": "" if end is None else text[end:]}


def message_text(content: object, between: str = "") -> str:
    """Returns the text of `content`: a string, or the text blocks of a list, joined by `between`; else ""."""
    # A provider may cut a sentence into several blocks. A blank line replaces other blocks, such as images.
    blocks = content if isinstance(content, list | tuple) else [content] * isinstance(content, str)
    texts = groupby(map(_block_text, blocks), bool)
    return "\n\n".join(between.join(neighbours) for has_text, neighbours in texts if has_text)


def _block_text(block: object) -> str:
    if isinstance(block, Mapping) and (block.get("type") or "text") in _TEXT_TYPES:
        block = block.get("text")
    return block if isinstance(block, str) else ""


def with_text(content: Any, revised: str) -> Any:
    """Returns `content` with `revised` in place of its text blocks. Keeps other blocks, such as images."""
    if isinstance(content, str):
        return revised
    first = next(number for number, block in enumerate(content) if _block_text(block))
    made = revised if isinstance(content[first], str) else {"type": "text", "text": revised}
    return [*content[:first], made, *(it for it in content[first:] if not _block_text(it))]


def text_notices(raw_input: str, text: str, context: str | None) -> list[Notice]:
    """Warns about unchecked HTML or tables, replaced characters, and a text that is only a file name."""
    messages: dict[str, str] = {}
    if (replaced := f"{text}{context}".count(REPLACEMENT) - raw_input.count(REPLACEMENT)) > 0:
        cure = "leave out NUL and halves of surrogate pairs"
        where = f"{counted(replaced, 'character')} of the text or its context replaced by U+FFFD"
        messages["character_replaced"] = f"{where}: {cure}"
    if html_share(text) > _MOST_HTML:
        cure = "give it as plain text or Markdown, as pandoc and trafilatura write it"
        messages["html_not_checked"] = f"the text is HTML, whose blocks are not checked: {cure}"
    if unread := count_unread_tables(text):
        only = "only tables in Markdown are, outside of quotes and lists, whose rows each have a header"
        more = "of their own and as many cells as the first line"
        messages["table_not_checked"] = f"{counted(unread, 'table')} not checked: {only} {more}"
    told = [Notice(code=code, message=it, node="generate_queries") for code, it in messages.items()]
    return told + file_name_notices([text])


def file_name_notices(texts: Sequence[object]) -> list[Notice]:
    """Makes a warning for each text that is only a file name, such as `notes.pdf`: no file is opened.

    Does not check whether the file exists, so that no caller over HTTP can find out which files exist.
    """
    from rarr.retrievers.extract.files import file_kind  # here, so that a batch process starts faster

    named = [it for it in texts if isinstance(it, str) and it.split() == [it] and file_kind(it)]
    told = "is read as a text, and no file is opened: give the words that are in it"
    return [Notice(code="file_not_read", message=f"{safe_text(it)} {told}", node="") for it in named]
