"""Reads the words around a value in its sentence: its neighbours, and the distance of every other word."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import islice

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value
from rarr.backends.rules.words import Token

_WORDS = re.compile(r"\w+")
_ARTICLES = {"the", "a", "an"}
_REACH = 2  # words on either side that stand beside a value


def unit_words(value: Value) -> list[str]:
    """Returns the words of a quantity's unit of measure; empty for other values."""
    form: str = getattr(value.read, "form", "")
    return form.split()


def next_stem(part: ParsedSentence, value: Value) -> str | None:
    """Returns the stem of the first word with meaning after a value and its unit; None if there is none.

    It is the noun that a number counts, for example.
    """
    unit = unit_words(value)
    return next((w.stem for w in part.content if w.start >= value.end and w.text not in unit), None)


def neighbour_stems(part: ParsedSentence, value: Value) -> list[str]:
    """Returns the stems of the two words before a value, nearest first, then of the two after it.

    Articles are left out.
    """
    before, after = _around(part.words, value)
    return [*_stems(reversed(part.words[:before])), *_stems(part.words[after:])]


def opens_sentence(part: ParsedSentence, value: Value) -> bool:
    """Does no word with meaning stand before the value?"""
    return not part.content or part.content[0].end > value.start


def has_same_frame(part: ParsedSentence, value: Value, other_part: ParsedSentence, other: Value) -> bool:
    """Do the two values share the word before them, and one of the next three words?"""
    before, after = _neighbours(part.text, value)
    its_before, its_after = _neighbours(other_part.text, other)
    return before == its_before and any(a == b for a, b in zip(after, its_after, strict=False))


def word_distances(words: tuple[Token, ...], value: Value) -> list[int]:
    """Returns for each word the number of words between it and the value; 0 for the words of the value."""
    before, after = _around(words, value)
    return [before - n - 1 if n < before else max(0, n - after) for n in range(len(words))]


def _around(words: tuple[Token, ...], value: Value) -> tuple[int, int]:
    """Returns the number of words before the value, and the index of the first word after it."""
    before = bisect_right(words, value.start, key=lambda word: word.end)
    return before, bisect_left(words, value.end, key=lambda word: word.start)


def _stems(words: Iterable[Token]) -> Iterable[str]:
    stems = (w.stem or w.text.lower() for w in words if w.text.lower() not in _ARTICLES)
    return islice(stems, _REACH)


def _neighbours(text: str, value: Value) -> tuple[str, list[str]]:
    before = _WORDS.findall(text[max(0, value.start - 40) : value.start].lower())
    after = _WORDS.findall(text[value.end : value.end + 60].lower())
    return (before[-1] if before else ""), after[:3]
