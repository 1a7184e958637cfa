"""Finds words in a text whatever their white space, marks, quotation marks, dashes and capitals."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rarr.tools.text.blocks_and_sentences import Span

_ALIKE = {
    **dict.fromkeys("‘’‚‛“”„‟′″`´«»\"'", "'"),
    **dict.fromkeys("-‐‑‒–—―−", "-"),
    **dict.fromkeys("([<‹{", "("),
    **dict.fromkeys(")]>›}", ")"),
}
_DROPPED = frozenset("*_`\\\u00ad\u200b\u200c\u200d\u2060\ufeff")


class Folded(NamedTuple):
    """A folded text; `places` gives the place in the original of each of its characters."""

    text: str
    places: Sequence[int]

    def find(self, words: str) -> list[Span]:
        """Returns each place of `words` in the original text; [] for words without a letter or digit."""
        wanted = fold(words).text.strip()
        if not any(character.isalnum() for character in wanted):
            return []
        found, at = list[Span](), self.text.find(wanted)
        while at >= 0:
            found.append(Span(self.places[at], self.places[at + len(wanted) - 1] + 1))
            at = self.text.find(wanted, at + 1)
        return found

    def holds(self, words: str) -> bool:
        """Does the text have these words?"""
        return bool(self.find(words))


@lru_cache(maxsize=1024)
def fold(text: str) -> Folded:
    """Folds a text: white space to one space, marks of Markdown away, signs that look alike to one sign."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character in _DROPPED:
            continue
        if character.isspace():
            if characters and characters[-1] != " ":
                characters.append(" ")
                places.append(place)
            continue
        for plain in unicodedata.normalize("NFKC", _ALIKE.get(character, character)).casefold():
            characters.append(plain)
            places.append(place)
    return Folded("".join(characters), places)
