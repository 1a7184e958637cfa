"""Splits text into words as the rules compare them, with stems, stop words and groups of synonyms."""

import re
import threading
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

import snowballstemmer

from rarr.backends.rules.word_list_reader import word_list

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_STEMMER = snowballstemmer.stemmer("english")
_STEMMER_LOCK = threading.Lock()  # the stemmer keeps the current word as its state

STOP_WORDS = frozenset(" ".join(word_list("stop_words")).split())
"""Words without a meaning of their own."""


class Token(NamedTuple):
    """A word with its place and its stem; `stem` is empty for stop words."""

    start: int
    end: int
    text: str
    stem: str


@cache
def common_words() -> frozenset[str]:
    """Reads the list of words that are written with a small letter in the middle of sentences."""
    return frozenset(word_list("common_words"))


def is_common(word: str) -> bool:
    """Is the word hardly ever a name, however it is capitalised?"""
    small = word.lower().removesuffix("'s").removesuffix("’s")
    return small in common_words() or small.removesuffix("s") in common_words()


def folded_text(text: str) -> str:
    """Returns `text` in lower case, without accents and with straight quotes, as words are compared."""
    if text.isascii():  # a fast path for most words, in a tenth of the time
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


@lru_cache(maxsize=16384)  # words; a batch with many numbers would fill any size
def stem(word: str) -> str:
    """Returns the stem of `word` in lower case. The words of one group of synonyms share a stem."""
    folded = folded_text(word)
    folded = folded.removesuffix("'s").removesuffix("'")
    return _GROUPS.get(folded) or _stem(folded)


def word_tokens(text: str) -> list[Token]:
    """Splits `text` into words, with their stems; stop words have an empty stem."""
    return [
        Token(m.start(), m.end(), m[0], "" if m[0].lower() in STOP_WORDS else stem(m[0]))
        for m in _WORD.finditer(text)
    ]


def _stem(folded: str) -> str:
    with _STEMMER_LOCK:
        return str(_STEMMER.stemWord(folded))


def _groups() -> dict[str, str]:
    """Reads the synonyms: returns for each word of a group the stem that stands for the group."""
    groups: dict[str, str] = {}
    for group in word_list("synonyms"):
        for word in group.split():
            groups.setdefault(word, _stem(group.split()[0]))
    return groups


_GROUPS = _groups()
