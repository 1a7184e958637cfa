"""Telling words: what turns a sentence round without being a value: a "not", a quantifier, a comparison."""

import re
from collections.abc import Callable, Iterator

from rarr.backends.rules.negation import negator_spans
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.tools.text.document import Span

Alike = Callable[[ParsedSentence], Iterator[Span]]
"""Where a sentence of a passage has a word that tells the same."""

# Words of a group tell the same. A quantifier in front of a number is its bound.
_GROUPS = (
    r"all|every|each|always|everyone|everybody|both",
    r"few|seldom|rarely|hardly any|a minority of",
    r"most|mostly|usually|majority|more than half",
    r"some|several|sometimes|many|a number of",
    r"only|solely|exclusively|alone|just",
    r"may|might|can|could|allowed|possible|possibly|perhaps|able",
    r"must|shall|should|have\s+to|has\s+to|had\s+to|need(?:s|ed)?\s+to|required|compulsory|mandatory",
    r"would|if",
)
_WORDS_THAT_TURN = [re.compile(rf"\b(?:{words})\b(?!\s+(?:than|\d))", re.IGNORECASE) for words in _GROUPS]
_COMPARED = re.compile(r"\b(?P<word>\w+er|(?:more|less)\s+\w+)\s+than\b(?!\s+[$€£]?\d)", re.IGNORECASE)


def telling_words(said: ParsedSentence) -> Iterator[tuple[Span, Alike]]:
    """The place of each telling word in the sentence, and what finds a word of the same meaning elsewhere."""
    for span in negator_spans(said):
        yield span, negator_spans
    for pattern in _WORDS_THAT_TURN:
        for match in pattern.finditer(said.text):
            yield Span(*match.span()), _finder(pattern)
    for match in _COMPARED.finditer(said.text):
        yield Span(*match.span("word")), _finder(re.compile(rf"\b{re.escape(match['word'])}\b", re.I))


def _finder(pattern: re.Pattern[str]) -> Alike:
    return lambda part: (Span(*match.span()) for match in pattern.finditer(part.text))
