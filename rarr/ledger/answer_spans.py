"""Finds where the text and the evidence give their answers to a query, and compares the answers.

Answers are compared by their values: the dates, numbers, names and exclusive words that the rules parse.
"""

import re
from math import isclose
from typing import NamedTuple

from rarr.backends.rules.dates import Date
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.quantity_comparison import is_converted
from rarr.backends.rules.units import from_base, to_base
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.tools.text.blocks_and_sentences import Span


class SpanSource(NamedTuple):
    """A value of the evidence's answer, with a sentence of the evidence that says it.

    `start` is the place of the value in the sentence.
    """

    value: Value
    sentence: ParsedSentence
    start: int


def answer_place(part: ParsedSentence, asked_about: Span, answer: str) -> Span | None:
    """Finds the place of `answer` in a sentence, with its unit; of several, the one nearest to `asked_about`.

    If the sentence does not have the words of the answer, its values are searched. If it does not have the
    value either, the place is `asked_about`, or None if that is the whole sentence or lies outside it.
    """
    matches = re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", part.text, re.IGNORECASE)
    places = [Span(*match.span()) for match in matches] if answer.strip() else []
    if not places:
        wanted = checkable_values(answer)
        places = [
            Span(v.start, v.end)
            for v in part.values
            if any(same_value(v, answer_value) for answer_value in wanted)
        ]
    length = asked_about.end - asked_about.start
    if not places and asked_about.start >= 0 and 0 < length < len(part.text.rstrip(".!? ")):
        places = [asked_about]
    if not places:
        return None
    place = min(places, key=lambda span: abs(span.start - asked_about.start))
    spans = [place, *map(value_extent, values_at(part, place))]
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def answer_sources(value: Value, parts: tuple[ParsedSentence, ...]) -> list[SpanSource]:
    """Finds the places where the evidence, of which `parts` are the sentences, says a value of its answer.

    A number is given as the evidence has it, with the unit that the answer may leave out. A number near the
    answer, such as 1,600 feet for 1,595, counts only if no number equals the answer. A name is given as the
    answer has it, because the evidence may have a longer name.
    """
    sources = [
        SpanSource(value if value.kind == "name" else evidence_value, part, evidence_value.start)
        for part in parts
        for evidence_value in part.values
        if _is_same_value(evidence_value, value)
    ]
    return [source for source in sources if not _is_near(source.value, value)] or sources


def computed_source(value: Value, answer: ParsedSentence, replaced: Value | None) -> SpanSource:
    """Builds the source of a value that was computed after a correction: the computed `answer` itself.

    A number without a unit gets the unit of `replaced`, the text's old value.
    """
    if replaced is not None:
        match value.read, replaced.read:
            case Quantity() as bare, Quantity() as old if old.form and not bare.unit:
                low, amount, high = (to_base(n, old.form) for n in (bare.low, bare.amount, bare.high))
                read = bare._replace(low=low, amount=amount, high=high, unit=old.unit, form=old.form)
                return SpanSource(value._replace(read=read), answer, value.start)
    return SpanSource(value, answer, value.start)


def equals_answer(value: Value, wanted: Value, replaced: Value | None) -> bool:
    """Does `value` equal the value `wanted`, at least as exactly as the text had the replaced value?

    A conversion to another unit and a hedged number may be rounded. A date keeps its day, month and year, and
    a name keeps all its words.
    """
    if not same_value(value, wanted):
        return False
    match value.read, wanted.read:
        case Quantity() as written, Quantity() as expected:
            return written.amount == expected.amount or is_converted(written, expected) or written.hedged
        case Date() as written, Date() as expected:
            had = replaced.read if replaced is not None and isinstance(replaced.read, Date) else expected
            parts = zip(_date_parts(written), _date_parts(expected), _date_parts(had), strict=True)
            return all(own is not None for own, known, had_it in parts if known and had_it)
        case ProperName() as written, ProperName() as expected:
            return has_whole_name(written.text, expected.text, replaced)
    return True


def has_whole_name(written: str, wanted: str, replaced: Value | None) -> bool:
    """Does `written` have all words of the name `wanted` in a row?

    Its last word is enough where `replaced`, the text's old value, is a name of one word.
    """
    written_words, wanted_words = key_words(written), key_words(wanted)
    if any(
        written_words[start : start + len(wanted_words)] == wanted_words
        for start in range(len(written_words))
    ):
        return True
    name = replaced.read if replaced is not None else None
    return (
        isinstance(name, ProperName) and len(key_words(name.text)) == 1 and written_words == wanted_words[-1:]
    )


def values_at(part: ParsedSentence, place: Span) -> list[Value]:
    """Returns the values of a sentence that overlap `place`, by their own words or by their unit."""
    return [value for value in part.values if value_extent(value).overlaps(place)]


def _is_same_value(evidence_value: Value, answer: Value) -> bool:
    """Is the evidence's value that of the answer? The answer may leave out its unit."""
    if same_value(evidence_value, answer):
        return True
    match evidence_value.read, answer.read:
        case Quantity() as read, Quantity() as bare if not bare.unit:
            return isclose(from_base(read.amount, read.form) if read.form else read.amount, bare.amount)
    return False


def _is_near(evidence_value: Value, answer: Value) -> bool:
    """Are two values that may mean the same numbers of one unit with different amounts?"""
    match evidence_value.read, answer.read:
        case Quantity() as read, Quantity() as wanted if read.unit == wanted.unit:
            return not isclose(read.amount, wanted.amount)
    return False


def _date_parts(date: Date) -> tuple[int | None, int | None, int | None]:
    """Returns year, month and day, None for a missing one; a decade or century has no year."""
    return (date.first_year if date.first_year == date.last_year else None, date.month, date.day)
