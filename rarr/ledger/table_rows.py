"""Decides whether a claim tells the column and the row that a value has in a table of a passage.

Each row is a sentence of the passage: "| Elm–Hay | 660 | 775 |".
"""

import re
from collections.abc import Sequence

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.exchanged_values import clause_place
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, same_value, value_extent
from rarr.backends.rules.words import word_tokens

_ROW = re.compile(r"(?:[^|\n]*:)?\s*\|")


def is_row(part: ParsedSentence) -> bool:
    """Is the sentence a row of a table: does it begin with "|", or with a subject, a colon and "|"?"""
    return bool(_ROW.match(part.text))


def header_of(row: ParsedSentence, passage: ParsedPassage) -> ParsedSentence | None:
    """Returns the headers of the table of `row`; None for the headers themselves, or without headers."""
    first = _table(row, passage)[0]
    has_headers = any(passage.sentences[number] is first for number in passage.header_rows)
    return first if has_headers and first is not row else None


def is_of_column(
    claim: ParsedSentence, value: Value, row: ParsedSentence, evidence_value: Value, passage: ParsedPassage
) -> bool:
    """Does the claim say what tells the value's column from all others, and from no other column?

    "775 passengers in 2023" says it of "Passengers 2023" beside "Passengers 2022". The clause of the value
    counts, or the whole claim if that says no column.
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
    for said in (_words(clause_place(claim, value).of(claim.text)), _words(claim.text)):
        told = [place for place, words in enumerate(telling) if place > 1 and words and words <= said]
        if told:
            return told == [own]
    return False


def is_of_another_row(
    claim: ParsedSentence, value: Value, row: ParsedSentence, passage: ParsedPassage
) -> bool:
    """Does the claim say what stands in other rows of the table, and not in the row of its value?

    "The 51 cm deck needs 38 Nm" says 51 cm, and the row with 38 Nm is that of 42 cm. The clause of the value
    counts, or all clauses if that one says nothing of any row.
    """
    header = header_of(row, passage) if is_row(row) else None
    if header is None:
        return False
    others = [part for part in _table(row, passage) if part is not row and part is not header]
    here = _said_of(claim, value, [row])
    elsewhere = _said_of(claim, value, others) - here - _said_of(claim, value, [header])
    clause = clause_place(claim, value)
    inside = {place for place in here | elsewhere if clause.start <= place < clause.end}
    return not elsewhere.isdisjoint(inside or elsewhere)


def _said_of(claim: ParsedSentence, value: Value, rows: Sequence[ParsedSentence]) -> set[int]:
    """Returns the places of the claim's words, numbers and dates that stand in one of the rows."""
    stems = {word.stem for part in rows for word in part.content}
    own = value_extent(value)
    places = {word.start for word in claim.content if word.stem in stems}
    places |= {other.start for other in claim.values if other.kind != "name" and _has(rows, other)}
    return {place for place in places if not own.start <= place < own.end}


def _has(parts: Sequence[ParsedSentence], amount: Value) -> bool:
    return any(same_value(amount, other) for part in parts for other in part.values)


def _table(row: ParsedSentence, passage: ParsedPassage) -> Sequence[ParsedSentence]:
    """Returns all rows of the table of `row`, the headers first if it has any."""
    parts = passage.sentences
    first = last = next(n for n, part in enumerate(parts) if part is row)
    while first > 0 and first not in passage.header_rows and is_row(parts[first - 1]):
        first -= 1
    while last + 1 < len(parts) and last + 1 not in passage.header_rows and is_row(parts[last + 1]):
        last += 1
    return parts[first : last + 1]


def _words(text: str) -> set[str]:
    return {word.stem or word.text.lower() for word in word_tokens(text)}
