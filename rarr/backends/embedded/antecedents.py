"""Finds what a sentence without a name is about, and whether a page may answer a question."""

import re
from collections.abc import Set
from typing import NamedTuple

from rarr.backends.embedded.items import SENTENCE_END, WORD, Line, first_word, items_of
from rarr.backends.embedded.words import PRONOUNS, language_of

_KIND = re.compile(r"\([^()]*\)|(?i:\b(?:for|für|pour)\b.*)")  # of a title, as in "Ada Brandt (painter)"


class QuestionWords(NamedTuple):
    """The stems of a question's words and names. Without a question: of the names before the sentence."""

    words: frozenset[str]
    names: frozenset[str]
    is_question: bool = False

    @classmethod
    def of_question(cls, question: str) -> "QuestionWords":
        words = [item for item in items_of(question) if item.start]  # the first one asks: "How", "Is"
        names = (it for it in words if it.is_name or (it.value and it.value.kind == "identifier"))
        return cls(frozenset(it.key for it in words), frozenset(it.key for it in names), is_question=True)

    def fits_page(self, line: Line, known: Set[str], *, is_open: bool) -> bool:
        """Tells whether the page with this first line may answer, and is not about another thing.

        `known`: stems of the text. `is_open`: the sentence does not name its subject, so the page must do so.
        """
        if self.words <= line.around:
            return True
        titled = items_of(line.title)
        keys, strange = {it.key for it in titled}, [it.start for it in titled if it.key not in known]
        if any(it.start() < at < it.end() for it in _KIND.finditer(line.title) for at in strange):
            return False
        if not is_open:
            return True
        told = ((part, it) for part in (line.title, line.text) for it in items_of(part))
        is_strange = any(part[it.start].isupper() for part, it in told if it.key not in known)
        if not self.is_question:
            return not is_strange or not self.names.isdisjoint(line.around)
        if not self.names:
            return not is_strange or not self.words.isdisjoint(keys)
        return self.names <= keys or not (is_strange or self.names.isdisjoint(line.around))


class Antecedents(NamedTuple):
    """What a pronoun may refer to, as stems: the subject of the sentence before it, and earlier names."""

    subject: frozenset[str]
    numbers: frozenset[str]  # of the subject ("Apollo 11")
    names: frozenset[str]
    is_pronoun: bool

    def are_named_in(self, line: Line) -> bool:
        """Tells whether the line names what the pronoun may refer to, with its number (Pump 12, not 11)."""
        if not self.is_pronoun:
            return self.numbers <= line.around or (self.subject - self.numbers).isdisjoint(line.around)
        return self.numbers <= line.words and not (self.subject | self.names).isdisjoint(line.words)


def find_antecedents(sentence: str, above: str) -> Antecedents | None:
    """Finds what a sentence may refer to in the text `above` it; None if it names its subject itself."""
    first = first_word(sentence)  # such as "The" of "The pump" and "All" of "All pumps"
    is_german = language_of(map(str.casefold, WORD.findall(sentence))) == "de"  # its nouns look like names
    is_named = not is_german and any(item.is_name for item in items_of(sentence))
    if first not in PRONOUNS and (is_named or not above.strip()):
        return None
    parts = SENTENCE_END.split(above)
    names = (it.key for part in parts for it in items_of(part) if it.stem and part[it.start].isupper())
    subject = _subject(parts)
    numbers = frozenset(key for key in subject if any(character.isdigit() for character in key))
    return Antecedents(subject, numbers, frozenset(names), first in PRONOUNS)


def _subject(parts: list[str]) -> frozenset[str]:
    for part in reversed(parts):
        items = items_of(part)
        if items and first_word(part) not in PRONOUNS:
            named = [number for number, item in enumerate(items) if item.is_name]
            start = 0 if named[:1] in ([], [1]) and not items[0].value else (named or [0])[0]
            end = next((n for n in range(start + 1, len(items)) if not items[n].is_name), len(items))
            return frozenset(item.key for item in items[start:end])
    return frozenset()
