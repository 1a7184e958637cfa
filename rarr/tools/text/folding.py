"""Compares texts: finds words even if white space, marks or capitals differ, and finds words that differ."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Postfix, Prefix

from rarr.tools.text.blocks_and_sentences import Span

_SIGNS = {
    **dict.fromkeys("‘’‚‛“”„‟′″`´«»\"'", "'"),
    **dict.fromkeys("-‐‑‒–—―−", "-"),
    **dict.fromkeys("([<‹{", "("),
    **dict.fromkeys(")]>›}", ")"),
    **dict.fromkeys("*_`\\\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
_ASCII = {at: " " if chr(at).isspace() else _SIGNS.get(chr(at), chr(at)).lower() for at in range(128)}
_CHANGES_LENGTH = re.compile(r"\A\s|\s\s|[*_`\\]")
_HYPHEN_IN_WORD = re.compile(r"[^\W\d_]-[^\W\d_]")


class FoldedText(NamedTuple):
    """A folded text (see `fold`). `places`: the place of each character in the original text."""

    text: str
    places: Sequence[int]

    def find(self, words: str) -> list[Span]:
        """Returns the spans of `words` in the original text. Returns [] if `words` has no letter or digit."""
        wanted = fold(words).text.strip()
        if not any(map(str.isalnum, wanted)):
            return []
        found = (it.start() for it in re.finditer(f"(?={re.escape(wanted)})", self.text))  # also overlapping
        return [Span(self.places[at], self.places[at + len(wanted) - 1] + 1) for at in found]

    def holds(self, words: str) -> bool:
        """Tells whether the text contains these words."""
        return bool(self.find(words))


@lru_cache(maxsize=1024)
def fold(text: str) -> FoldedText:
    """Folds a text: lower case, single spaces, no Markdown marks, and similar signs (- and –) made equal."""
    if text.isascii() and not _CHANGES_LENGTH.search(text):  # one new character for each
        return FoldedText(text.translate(_ASCII), range(len(text)))
    folded, places = list[str](), list[int]()
    for place, character in enumerate(text):
        plain = " " if character.isspace() else _SIGNS.get(character, character)
        plain = plain.lower() if plain.isascii() else unicodedata.normalize("NFKC", plain).casefold()
        if plain != " " or (folded and folded[-1] != " "):
            folded += plain
            places += [place] * len(plain)
    return FoldedText("".join(folded), places)


def smallest_replacement(span: Span, text: str, new: str) -> tuple[Span, str]:
    """Reduces the replacement of `span` by `new` to words that differ. Returns (smaller span, new words)."""
    old = span.of(text)
    left = Prefix.similarity(old, new)
    while left and (_inside_word(old, left) or _inside_word(new, left)):
        left -= 1
    right = Postfix.similarity(old[left:], new[left:])
    while right and (_inside_word(old, len(old) - right) or _inside_word(new, len(new) - right)):
        right -= 1
    return Span(span.start + left, span.end - right), new[left : len(new) - right]


def _inside_word(text: str, at: int) -> bool:
    """Tells whether the place `at` is inside a word, which may have hyphens, or inside a number."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if ord(before) >= 0x2E80 and ord(after) >= 0x2E80:  # scripts without spaces between words
        return False
    if _HYPHEN_IN_WORD.match(text, at - 1) or _HYPHEN_IN_WORD.match(text, at - 2):
        return True  # "non-binding" is one word
    in_number = (before.isdigit() and after in ".,'’") or (before in ".,'’" and after.isdigit())
    return in_number or (before.isalnum() and after.isalnum())
