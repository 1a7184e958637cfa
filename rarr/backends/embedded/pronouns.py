"""Reads what a pronoun at the start of a sentence may stand for."""

import re
from collections.abc import Set
from typing import NamedTuple

from rarr.backends.embedded.items import begins_with_pronoun, items_of

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")


class Antecedents(NamedTuple):
    """The keys of what a pronoun may stand for: the subject of the sentence before, and the names above."""

    subject: frozenset[str]
    names: frozenset[str]

    def are_in(self, words: Set[str]) -> bool:
        """Do these words name an antecedent, and the number of the subject where it has one ("Apollo 11")?"""
        numbers = {key for key in self.subject if any(character.isdigit() for character in key)}
        return numbers <= words and not (self.subject | self.names).isdisjoint(words)


def antecedents(sentence: str, above: str) -> Antecedents | None:
    """Returns what the pronoun at the start of `sentence` may stand for in the text `above` it.

    None without a pronoun.
    """
    if not begins_with_pronoun(sentence):
        return None
    parts = _SENTENCE_END.split(above)
    names = (
        item.key for part in parts for item in items_of(part) if item.stem and part[item.start].isupper()
    )
    return Antecedents(_subject(parts), frozenset(names))


def _subject(parts: list[str]) -> frozenset[str]:
    """Returns the first name, else the first word, of the last sentence that begins with no pronoun."""
    for part in reversed(parts):
        items = items_of(part)
        if items and not begins_with_pronoun(part):
            named = [number for number, item in enumerate(items) if item.is_name]
            start = 0 if named[:1] in ([], [1]) and not items[0].value else (named or [0])[0]
            end = next((n for n in range(start + 1, len(items)) if not items[n].is_name), len(items))
            return frozenset(item.key for item in items[start:end])
    return frozenset()
