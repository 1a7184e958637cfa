"""Reads and replaces the text in the content of a chat message: a string, or a list of blocks."""

from itertools import groupby
from typing import Any


def joined_text(content: object) -> str:
    """Joins the texts of the blocks without spaces: providers cut a sentence into several blocks."""
    texts = map(_block_text, content if isinstance(content, list) else [content])
    # A blank line stands for blocks of other kinds, such as images, between two blocks of text.
    return "\n\n".join("".join(neighbours) for has_text, neighbours in groupby(texts, bool) if has_text)


def _block_text(block: object) -> str:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else block
    return text if isinstance(text, str) else ""


def with_text(content: Any, revised: str) -> Any:
    """Replaces all blocks with text by one block with the revised text. Keeps blocks of other kinds."""
    if isinstance(content, str) or joined_text(content) == revised:
        return revised if isinstance(content, str) else content
    first = next(n for n, block in enumerate(content) if _block_text(block))
    made = revised if isinstance(content[first], str) else {"type": "text", "text": revised}
    return [*content[:first], made, *(it for it in content[first:] if not _block_text(it))]
