"""Reads what a pronoun, or a sentence without a name, may be about."""

import re
from typing import NamedTuple

from rarr.backends.embedded.items import Line, begins_with_pronoun, first_word, items_of
from rarr.backends.embedded.words import is_small, is_weighty, language_of

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")


class Antecedents(NamedTuple):
    """The keys of what a pronoun may stand for: the subject of the sentence before, and the names above.

    `numbers` are those of the subject ("Apollo 11").
    """

    subject: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    is_pronoun: bool

    def are_in(self, line: Line) -> bool:
        """Does the line name an antecedent, and the number of the subject where it has one?

        A sentence without a pronoun is read beside any source but one of another number: "The pump", behind a
        sentence about Pump 11, is not that of the manual of Pump 12.
        """
        if not self.is_pronoun:
            return self.numbers <= line.around or (self.subject - self.numbers).isdisjoint(line.around)
        return self.numbers <= line.words and not (self.subject | self.names).isdisjoint(line.words)


def antecedents(sentence: str, above: str) -> Antecedents | None:
    """Returns what a sentence that begins with a pronoun, or names nothing, may be about in the text `above`.

    Else None: the sentence names what it is about.
    """
    if not (begins_with_pronoun(sentence) or (above.strip() and _names_nothing(sentence))):
        return None
    parts = _SENTENCE_END.split(above)
    names = (
        item.key for part in parts for item in items_of(part) if item.stem and part[item.start].isupper()
    )
    subject = _subject(parts)
    numbers = frozenset(key for key in subject if any(character.isdigit() for character in key))
    return Antecedents(subject, numbers, frozenset(names), begins_with_pronoun(sentence))


def _names_nothing(sentence: str) -> bool:
    """Does it begin with an article or a quantifier, such as "The pump" or "All pumps", and have no name?"""
    first = first_word(sentence)
    opens = is_small(first, language_of([first])) or is_weighty(first)
    return opens and not any(item.is_name for item in items_of(sentence))


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
