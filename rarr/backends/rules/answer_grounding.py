"""Checks the short answers of a language model: does a text have an answer, and do two answers differ?"""

import re
from collections import defaultdict

from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.values import Value, checkable_values, same_value
from rarr.backends.rules.words import folded_text, word_tokens
from rarr.tools.text.blocks_and_sentences import Span

_NO_SPACES = "\u2e80"  # from this character on, scripts without spaces between words


def is_stated(answer: str, text: str) -> bool:
    """Does `text` have `answer` in these words, or its values and at least half of its other words?

    An answer with neither a value nor a word of content, such as "yes", is never stated.
    """
    if not any(token.stem for token in word_tokens(answer)) and not checkable_values(answer):
        return False
    if has_phrase(text, answer):
        return True
    words = {token.stem for token in word_tokens(text)}
    compared = [value for value in checkable_values(answer) if value.kind != "term"]
    if not all(_stands(value, answer, text, words) for value in compared):
        return False
    others = [
        token.stem in words
        for token in word_tokens(answer)
        if token.stem and not any(value.start <= token.start < value.end for value in compared)
    ]
    return 2 * sum(others) >= len(others)


def has_other_values(answer: str, text: str, other: str, passage: str) -> bool:
    """Do both answers have values of one kind, and no two of them with the same meaning?

    `answer` is from `text`, and `other` from `passage`. A number without a unit takes the unit from its
    source.
    """
    alike: dict[str, list[bool | None]] = defaultdict(list)
    for value in _read(answer, text):
        for other_value in _read(other, passage):
            alike[value.kind].append(same_value(value, other_value))
    return any(False in compared and not any(compared) for compared in alike.values())


def _read(answer: str, source: str) -> list[Value]:
    return [read for value in checkable_values(answer) for read in _with_unit(value, answer, source)]


def _with_unit(value: Value, answer: str, source: str) -> list[Value]:
    if not isinstance(value.read, Quantity) or value.read.unit:
        return [value]
    written = answer[value.start : value.end]
    same_writings = [
        source_value
        for source_value in checkable_values(source)
        if isinstance(source_value.read, Quantity)
        and source[source_value.start : source_value.end] == written
    ]
    return same_writings or [value]


def _stands(value: Value, answer: str, text: str, words: set[str]) -> bool:
    end = value.read.tail if isinstance(value.read, Quantity) else value.end
    phrase = answer[value.start : end]
    if any(same_value(value, other) for other in checkable_values(text)) or has_phrase(text, phrase):
        return True
    return value.kind == "name" and all(token.stem in words for token in word_tokens(phrase) if token.stem)


def has_phrase(text: str, phrase: str) -> bool:
    """Does `text` have `phrase`, in any case? Words match whole: "22" is neither in "221" nor in "22.5"."""
    return phrase_place(text, phrase) is not None


def phrase_place(text: str, phrase: str) -> Span | None:
    """Returns the first place of `phrase` in `text`, in any case, in whole words; None if it has none."""
    words = folded_text(phrase).split()
    if not words:
        return None
    inner = r"\s+".join(map(re.escape, words))
    before = r"(?<!\w)(?<!\d[.,])" if words[0][0] < _NO_SPACES else ""
    after = r"(?!\w)(?![.,]\d)" if words[-1][-1] < _NO_SPACES else ""
    match = re.search(before + inner + after, folded_text(text))
    return None if match is None else Span(*match.span())
