"""Replaces an answer in a passage by another one, so that the passage still reads well."""

import re
from collections.abc import Iterable, Sequence

from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.proper_names import proper_names

_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_VOWEL = re.compile(r"(?!uni|use|eu|one\b|u[A-Z])[aeiou]", re.IGNORECASE)
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
