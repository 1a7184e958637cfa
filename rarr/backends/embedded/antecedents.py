"""Finds the subject of a sentence that names none, and tells whether a page may answer a question."""

import re
from collections.abc import Set
from typing import NamedTuple

from rarr.backends.embedded.items import SENTENCE_END, WORD, Line, find_referent, first_pronoun, items_of
from rarr.backends.embedded.words import language_of

_KIND = re.compile(r"\([^()]*\)|(?i:\b(?:for|für|pour)\b.*)")  # the end of "Ada Brandt (painter)"


class QuestionWords(NamedTuple):
    """The words of a question or of a subject, as keys. A key is a word's stem, or a value as written."""

    words: frozenset[str]
    names: frozenset[str]
    measures: frozenset[tuple[str, str]] = frozenset()  # kind and unit of each value

    @classmethod
    def of_question(cls, question: str) -> "QuestionWords":
        words = [item for item in items_of(question) if item.start]  # the first word is "How" or "Is"
        names = (it for it in words if it.is_name or (it.value and it.value.kind == "identifier"))
        measures = frozenset((it.value.kind, it.value.unit) for it in words if it.value)
        return cls(frozenset(it.key for it in words), frozenset(it.key for it in names), measures)

    def fits_page(self, first_line: Line, known_keys: Set[str], *, needs_subject: bool) -> bool:
        """Tells whether a page may answer the question. A page about another thing may not.

        `first_line`: the first line of the page. `known_keys`: the keys of the text that is checked.
        `needs_subject`: whether the page must name the subject.
        """
        titled = items_of(first_line.title)
        others = (it.value for it in titled if it.value and it.key not in known_keys)
        if any((it.kind, it.unit) in self.measures for it in others):  # asked: 10 mg; in the title: 5 mg
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
    """Finds the subject of a sentence in the text `above`, unless the sentence names the subject itself.

    Returns the set of keys (`Item.key`) of the subject. If the subject is unclear, the set has "" and the
    keys of all words that may be the subject. Returns None if the sentence names its subject, or if it has no
    pronoun and there is no text above.
    """
    pronoun = first_pronoun(sentence)
    is_german = language_of(map(str.casefold, WORD.findall(sentence))) == "de"  # German nouns look like names
    is_named = not is_german and any(item.is_name for item in items_of(sentence))
    if not pronoun and (is_named or not above.strip()):
        return None
    return find_referent(SENTENCE_END.split(above), pronoun)[0]
