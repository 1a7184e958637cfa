"""Splits a text into the words in which corrections are counted."""

import re

# A number with its separators is one word, and so is a punctuation mark. In scripts without spaces, each
# character is a word; otherwise one changed character would change a whole clause.
_WORD = r"\d+(?:[.,:]\d+)+|[぀-ヿ㐀-䶿一-鿿]|[^\W぀-ヿ㐀-䶿一-鿿]+|[^\w\s]"


def words(text: str) -> list[str]:
    """Splits `text` into words, numbers and punctuation marks, in order, without white space."""
    return re.findall(_WORD, text)


def tokens(text: str) -> list[str]:
    """Splits `text` into words and the white space between them. Joined, they are the text."""
    return re.findall(rf"{_WORD}|\s+", text)
