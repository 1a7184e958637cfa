"""Replaces an answer in a passage by another one, so that the passage still reads well."""

import re
from collections.abc import Iterable, Sequence

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.dates import MONTHS
from rarr.backends.rules.name_matching import is_generic, key_words, same_place
from rarr.backends.rules.proper_names import proper_names
from rarr.backends.rules.values import checkable_values, same_value
from rarr.backends.rules.words import STOP_WORDS, is_common

_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_VOWEL = re.compile(r"(?!uni|use|eu|one\b|u[A-Z])[aeiou]", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 3  # letters of a word that names something alone
_POSSESSIVE = re.compile(r"['’](?!\w)")


def contains(text: str, words: str) -> bool:
    """Do the words stand in the text, as whole words and in whatever case?"""
    return re.search(_place([words]), text, re.IGNORECASE) is not None


def replaced(text: str, variants: Sequence[str], new: str) -> str | None:
    """Replaces each variant of an answer by `new`, the longest first; None if there was nothing to replace.

    Only whole words are replaced, in whatever case. A possessive stays, and "a" and "an" fit the new words. A
    variant inside a longer name, such as Washington in Washington Post, is another name and stays.
    """
    names = [(name.start, name.end) for name in proper_names(text)]
    pieces, end = list[str](), 0
    for match in re.finditer(_place(variants), text, re.IGNORECASE):
        if _is_in_other_name(text, match.span(), names):
            continue
        before = _with_article(text[end : match.start()], match[0], new)
        after = match.end()
        pieces += [before, new]
        if mark := _POSSESSIVE.match(text, after) if match[0].endswith("s") else None:
            pieces.append(mark[0] if new.endswith("s") else f"{mark[0]}s")
            after = mark.end()
        end = after
    return "".join([*pieces, text[end:]]) if end else None


def part_of_answer(text: str, variants: Sequence[str]) -> str:
    """Returns a word or a value in `text` that names an answer or a part of it; empty if there is none.

    Mexico does so in New Mexico, Mexican for Mexico, and "41.5 ft" for "12.65 m". A reader that finds it may
    take it for the answer, and would seem to answer from memory.
    """
    parts = {word for variant in variants for word in distinctive_words(variant)}
    words = (word for word in _WORD.findall(text) if any(_may_name(word, part) for part in parts))
    return next(words, "") or _same_value_in(text, variants)


def _same_value_in(text: str, variants: Sequence[str]) -> str:
    """Returns the words of a number or date in `text` that means the same as that of a variant."""
    values = [value for variant in variants for value in checkable_values(variant) if value.kind != "name"]
    for part in parsed_passage(text, "").sentences if values else ():
        for other in part.values:
            if any(same_value(value, other) for value in values):
                return part.text[other.start : other.end]
    return ""


def distinctive_words(answer: str) -> list[str]:
    """Returns the capitalised words of an answer that identify it alone: not "river" or "March"."""
    return [
        word
        for word in _WORD.findall(answer)
        if len(word) >= _SHORTEST
        and word[0].isupper()
        and not (is_generic(word.casefold()) or is_common(word) or word in (*MONTHS, *STOP_WORDS))
    ]


def _may_name(word: str, part: str) -> bool:
    return word[0].isupper() and len(word) >= _SHORTEST and same_place(word.casefold(), part.casefold())


def _place(variants: Iterable[str]) -> str:
    longest_first = sorted(set(variants), key=lambda variant: (-len(variant), variant))
    return rf"(?<!\w)(?<!\d[.,])(?:{'|'.join(map(re.escape, longest_first))})(?!\w)(?![.,]\d)"


def _is_in_other_name(text: str, place: tuple[int, int], names: Sequence[tuple[int, int]]) -> bool:
    """Does a longer name surround the place, which has more words that identify it than the place has?"""
    start, end = place
    own = key_words(text[start:end])
    return any(
        name_start <= start and end <= name_end and key_words(text[name_start:name_end]) != own
        for name_start, name_end in names
    )


def _with_article(before: str, old: str, new: str) -> str:
    """Changes the article at the end of `before` if the new words need the other one."""
    article = _ARTICLE.search(before)
    if article is None or bool(_VOWEL.match(old)) == bool(_VOWEL.match(new)):
        return before
    first = article[1][0]
    return f"{before[: article.start()]}{first}{'n' if _VOWEL.match(new) else ''}{article[2]}"
