"""Reads the headers of a table in a passage, where each row is a sentence: "| Elm–Hay | 660 | 775 |"."""

import re

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value
from rarr.backends.rules.words import word_tokens

_ROW = re.compile(r"(?:[^|\n]*:)?\s*\|")


def is_row(part: ParsedSentence) -> bool:
    """Is the sentence a row of a table: does it begin with "|", or with a subject, a colon and "|"?"""
    return bool(_ROW.match(part.text))


def header_of(row: ParsedSentence, passage: ParsedPassage) -> ParsedSentence | None:
    """Returns the first row of the table of `row`, which has the headers; None for that row itself."""
    place = next(n for n, part in enumerate(passage.sentences) if part is row)
    first = place
    while first > 0 and is_row(passage.sentences[first - 1]):
        first -= 1
    return passage.sentences[first] if first < place else None


def is_of_column(
    claim: ParsedSentence, row: ParsedSentence, evidence_value: Value, passage: ParsedPassage
) -> bool:
    """Does the claim say what tells the value's column from all others, and from no other column?

    "775 passengers in 2023" says it of "Passengers 2023" beside "Passengers 2022".
    """
    header = header_of(row, passage)
    if header is None:
        return False
    columns = [_words(cell) for cell in header.text.split("|")]
    own = row.text.count("|", 0, evidence_value.start)
    telling = [
        column.difference(*(other for n, other in enumerate(columns) if n != place))
        for place, column in enumerate(columns)
    ]
    said = _words(claim.text)
    told = [place for place, words in enumerate(telling) if place > 1 and words and words <= said]
    return told == [own]


def _words(text: str) -> set[str]:
    return {word.stem or word.text.lower() for word in word_tokens(text)}
