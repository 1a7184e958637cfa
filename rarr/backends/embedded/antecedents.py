"""Finds the subject of a sentence that names none, and tells whether a page may answer a question."""

import re
from collections.abc import Set
from itertools import takewhile
from typing import NamedTuple

from rarr.backends.embedded.items import (
    OF,
    SENTENCE_END,
    WORD,
    Line,
    find_referent,
    first_pronoun,
    items_of,
    verb_index,
)
from rarr.backends.embedded.words import OPENERS, language_of

DEFAULT_VERB_INDEX = 3  # of a sentence in which no word looks like a verb
_KIND = re.compile(r"\([^()]*\)|(?i:\b(?:for|für|pour)\b.*)")  # the end of "Ada Brandt (painter)"


class QuestionWords(NamedTuple):
    """The words of a question or of a subject, as keys. A key is a word's stem, or a value as written."""

    words: frozenset[str]
    names: frozenset[str] = frozenset()
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
        `needs_subject`: whether the page must be about the subject, because the sentence does not name it.
        """
        title, subject = first_line.title, first_line.title or first_line.text
        strange = [it for it in items_of(title) if it.key not in known_keys]
        # The question has 10 mg, and the title 5 mg.
        if any((it.value.kind, it.value.unit) in self.measures for it in strange if it.value):
            return False
        names = {it.key for it in items_of(subject) if subject[it.start].isupper()}
        is_named = (self.names or self.words) <= {it.key for it in items_of(subject)}
        if needs_subject and not (is_named or names <= known_keys):
            return False
        kind = {at for it in _KIND.finditer(title) for at in range(it.start() + 1, it.end())}
        return self.words <= first_line.excerpt_keys or kind.isdisjoint(it.start for it in strange)


def names_subject(sentence: str) -> bool:
    """Tells whether a name is before the verb. False in German, where all nouns look like names."""
    items = () if first_pronoun(sentence) else items_of(sentence)
    subject = takewhile(
        lambda it: it.word not in OPENERS - OF, items[: verb_index(items, DEFAULT_VERB_INDEX)]
    )
    is_german = language_of(map(str.casefold, WORD.findall(sentence))) == "de"
    return not is_german and any(it.is_name and it.stem for it in subject)


def find_antecedent(sentence: str, above: str) -> frozenset[str] | None:
    """Finds the subject of a sentence in the text `above`, unless the sentence names the subject itself.

    Returns the set of keys (`Item.key`) of the subject. If the subject is unclear, the set has "" and the
    keys of all words that may be the subject. Returns None if the sentence names its subject, or if it has no
    pronoun and there is no text above.
    """
    pronoun = first_pronoun(sentence)
    if not pronoun and (names_subject(sentence) or not above.strip()):
        return None
    return find_referent(SENTENCE_END.split(above), pronoun)[0]
