"""Finds what a sentence without a name is about, and whether a page may answer a question."""

import re
from collections.abc import Set
from typing import NamedTuple

from rarr.backends.embedded.items import SENTENCE_END, WORD, Line, find_referent, first_pronoun, items_of
from rarr.backends.embedded.words import language_of

_KIND = re.compile(r"\([^()]*\)|(?i:\b(?:for|für|pour)\b.*)")  # of a title, as in "Ada Brandt (painter)"


class QuestionWords(NamedTuple):
    """The stems of a question's words and names. Without one: of what a sentence is about."""

    words: frozenset[str]
    names: frozenset[str]
    measures: frozenset[tuple[str, str]] = frozenset()  # the kinds and units of its values

    @classmethod
    def of_question(cls, question: str) -> "QuestionWords":
        words = [item for item in items_of(question) if item.start]  # the first one asks: "How", "Is"
        names = (it for it in words if it.is_name or (it.value and it.value.kind == "identifier"))
        measures = frozenset((it.value.kind, it.value.unit) for it in words if it.value)
        return cls(frozenset(it.key for it in words), frozenset(it.key for it in names), measures)

    def fits_page(self, first_line: Line, known_keys: Set[str], *, needs_subject: bool) -> bool:
        """Tells whether the page with this first line may answer, and is not about another thing.

        `known`: stems of the text. `is_open`: the sentence does not name its subject, so the page must do so.
        """
        titled = items_of(first_line.title)
        others = (it.value for it in titled if it.value and it.key not in known_keys)
        if any((it.kind, it.unit) in self.measures for it in others):  # "10 mg" is asked about, not "5 mg"
            return False
        if self.words <= first_line.excerpt_keys:
            return True
        keys, strange = {it.key for it in titled}, [it.start for it in titled if it.key not in known_keys]
        if any(it.start() < at < it.end() for it in _KIND.finditer(first_line.title) for at in strange):
            return False
        if not needs_subject:
            return True
        told = ((part, it) for part in (first_line.title, first_line.text) for it in items_of(part))
        is_strange = any(part[it.start].isupper() for part, it in told if it.key not in known_keys)
        if not self.names:
            return not is_strange or not self.words.isdisjoint(keys)
        return self.names <= keys or not (is_strange or self.names.isdisjoint(first_line.excerpt_keys))


def find_antecedent(sentence: str, above: str) -> frozenset[str] | None:
    """Returns the stems of what a sentence is about by the text `above` it; None if it names its subject."""
    pronoun = first_pronoun(sentence)
    is_german = language_of(map(str.casefold, WORD.findall(sentence))) == "de"  # its nouns look like names
    is_named = not is_german and any(item.is_name for item in items_of(sentence))
    if not pronoun and (is_named or not above.strip()):
        return None
    return find_referent(SENTENCE_END.split(above), pronoun)[0]
