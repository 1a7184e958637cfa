"""Finds telling words, which change the meaning of a sentence: "not", quantifiers and comparisons."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rarr.backends.rules.denied_claims import negator_spans
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.tools.text.blocks_and_sentences import Span

WordFinder = Callable[[ParsedSentence], Iterator[Span]]
"""Finds the places of words with the same meaning in a sentence of a passage."""

# The words of a group have the same meaning, and the groups of a class exclude each other. A word directly
# before a digit only bounds the number.
_GROUPS = {
    "quantifier": (
        r"all|every|each|always|everyone|everybody|both|any(?:one|body|time)|whenever"
        r"|(?<!if )(?<!without )any",
        r"few|seldom|rarely|hardly\s+any|a\s+minority\s+of",
        r"most|mostly|usually|majority|more\s+than\s+half",
        r"some|several|sometimes|many|a\s+number\s+of",
    ),
    "limit": (r"only|solely|exclusively|alone|just",),
    "modality": (
        r"may|might|can|could|allowed|possible|possibly|perhaps|able",
        r"must|shall|have\s+to|has\s+to|had\s+to|need(?:s|ed)?\s+to|required|compulsory|mandatory",
        r"should|ought\s+to|recommended|advisable",
    ),
    "condition": (r"would|if",),
}
_ELLIPTIC = re.compile(
    r"\b(?:(?:too|as\s+well|likewise)(?=\s*(?:[,;:.!?)]|$))"
    r"|so\s+(?:do|does|did|is|are|was|were|has|have|will|can)(?=\s+(?:the\b|an?\b|(?-i:[A-Z]))))",
    re.IGNORECASE,
)
"""Words that repeat the verb of another clause, as in "and those in the town too"."""
_ALSO = re.compile(r"\b(?:too|as\s+well|likewise|also|both|alike)\b", re.IGNORECASE)
_TELLING = [
    (label, re.compile(rf"\b(?:{words})\b(?!\s+(?:than|\d))", re.IGNORECASE))
    for label, groups in _GROUPS.items()
    for words in groups
]
MOST, MANY = 2, 3
"""The numbers of the groups of "most" and of "many"."""
_NOT = re.compile(r"(?:\s+not\b|n['’]t\b)", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?P<word>\w+er|(?:more|less)\s+\w+)(?:\s+\w+){0,2}\s+than\b(?!\s+[$€£]?\d)", re.IGNORECASE
)


class GroupedWord(NamedTuple):
    """A word such as "all", "only", "may" or "if": its place, its class, and the number of its group.

    Words of one group mean the same; groups of one class exclude each other.
    """

    place: Span
    label: str
    group: int


def grouped_words(text: str) -> Iterator[GroupedWord]:
    """Yields the quantifiers, limits, modal verbs and conditions of `text`, group by group."""
    for number, (label, pattern) in enumerate(_TELLING):
        for match in pattern.finditer(text):
            yield GroupedWord(Span(*match.span()), label, number)


def telling_words(sentence: ParsedSentence) -> Iterator[tuple[Span, WordFinder]]:
    """Yields the place of each word that changes the meaning, with a finder of words of the same meaning.

    These are negators, words such as "all", "only", "may" and "if", comparatives before "than", and words
    that repeat a verb, such as "too" at the end of a clause.
    """
    for span in negator_spans(sentence):
        yield span, negator_spans
    for _, pattern in _TELLING:
        for match in pattern.finditer(sentence.text):
            yield (
                Span(*match.span()),
                _finder(pattern, is_denied=_NOT.match(sentence.text, match.end()) is not None),
            )
    for match in _COMPARED.finditer(sentence.text):
        yield (
            Span(*match.span("word")),
            _finder(re.compile(rf"\b{re.escape(match['word'])}\b", re.IGNORECASE)),
        )
    for match in _ELLIPTIC.finditer(sentence.text):
        yield Span(*match.span()), _finder(_ALSO)


def _finder(pattern: re.Pattern[str], *, is_denied: bool = False) -> WordFinder:
    """Builds a finder of a pattern's words: with `is_denied` those before "not", otherwise the others."""
    return lambda part: (
        Span(*match.span())
        for match in pattern.finditer(part.text)
        if (_NOT.match(part.text, match.end()) is not None) == is_denied
    )
