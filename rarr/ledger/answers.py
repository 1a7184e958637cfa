"""Answers as values: where the text and the evidence give theirs, and whether two are equal."""

import re
from math import isclose
from typing import NamedTuple

from rarr.backends.rules.dates import Date
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.units import from_base, to_base
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.tools.text.document import Span


class Source(NamedTuple):
    """A value of the evidence's answer, and where a sentence of the evidence says it."""

    value: Value
    sentence: ParsedSentence
    start: int


def answer_place(part: ParsedSentence, asked_about: Span, answer: str) -> Span | None:
    """Where a sentence gives its answer, its unit included; None where that cannot be told.

    An answer that the sentence does not say word for word is found by its value. Failing that, it is what
    the query asks about, where that is less than the sentence.
    """
    said = re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", part.text, re.IGNORECASE)
    found = [Span(*match.span()) for match in said] if answer.strip() else []
    if not found:
        wanted = checkable_values(answer)
        found = [Span(v.start, v.end) for v in part.values if any(same_value(v, one) for one in wanted)]
    length = asked_about.end - asked_about.start
    if not found and asked_about.start >= 0 and 0 < length < len(part.text.rstrip(".!? ")):
        found = [asked_about]
    if not found:
        return None
    place = min(found, key=lambda span: abs(span.start - asked_about.start))
    spans = [place, *map(value_extent, values_at(part, place))]
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def sources_of(value: Value, parts: tuple[ParsedSentence, ...]) -> list[Source]:
    """Where sentences of the evidence say a value of its answer.

    A number is the evidence's own, with the unit that the answer may have left out. One that is near the
    answer, as 1,600 feet are near 1,595, counts only where none equals it. A name is the answer's: the
    evidence may have it within a longer one.
    """
    found = [
        Source(value if value.kind == "name" else said, part, said.start)
        for part in parts
        for said in part.values
        if _is_reading_of(said, value)
    ]
    return [source for source in found if not _is_near(source.value, value)] or found


def reckoned(value: Value, answer: ParsedSentence, replaced: Value | None) -> Source:
    """A value that follows from a correction, with the unit of the text's value where it names none."""
    if replaced is not None:
        match value.read, replaced.read:
            case Quantity() as bare, Quantity() as old if old.form and not bare.unit:
                low, amount, high = (to_base(n, old.form) for n in (bare.low, bare.amount, bare.high))
                read = bare._replace(low=low, amount=amount, high=high, unit=old.unit, form=old.form)
                return Source(value._replace(read=read), answer, value.start)
    return Source(value, answer, value.start)


def gives(value: Value, wanted: Value, replaced: Value | None) -> bool:
    """Is it the value that is wanted, as exactly as the text had the value that it replaces?

    A conversion to another unit may round, and so may a hedged number. A date keeps its parts, a name all
    its words.
    """
    if not same_value(value, wanted):
        return False
    match value.read, wanted.read:
        case Quantity() as mine, Quantity() as its:
            return mine.amount == its.amount or mine.form.lower() != its.form.lower() or mine.hedged
        case Date() as mine, Date() as its:
            had = replaced.read if replaced is not None and isinstance(replaced.read, Date) else its
            parts = zip(_parts(mine), _parts(its), _parts(had), strict=True)
            return all(own is not None for own, known, had_it in parts if known and had_it)
        case ProperName() as mine, ProperName() as its:
            return gives_name(mine.text, its.text, replaced)
    return True


def gives_name(said: str, wanted: str, replaced: Value | None) -> bool:
    """Is the whole name said? A surname is enough where it replaces a single word."""
    mine, its = key_words(said), key_words(wanted)
    if any(mine[start : start + len(its)] == its for start in range(len(mine))):
        return True
    name = replaced.read if replaced is not None else None
    return isinstance(name, ProperName) and len(key_words(name.text)) == 1 and mine == its[-1:]


def values_at(part: ParsedSentence, place: Span) -> list[Value]:
    """The values of a sentence that overlap `place`, with their units."""
    return [value for value in part.values if value_extent(value).overlaps(place)]


def _is_reading_of(said: Value, answer: Value) -> bool:
    """Does the evidence's value say what the answer says? The answer may leave out its unit."""
    if same_value(said, answer):
        return True
    match said.read, answer.read:
        case Quantity() as read, Quantity() as bare if not bare.unit:
            return isclose(from_base(read.amount, read.form) if read.form else read.amount, bare.amount)
    return False


def _is_near(said: Value, answer: Value) -> bool:
    """Is it a number that rounds to the answer, and not the same?"""
    match said.read, answer.read:
        case Quantity() as read, Quantity() as wanted if read.unit == wanted.unit:
            return not isclose(read.amount, wanted.amount)
    return False


def _parts(date: Date) -> tuple[int | None, int | None, int | None]:
    """Year, month and day; a decade or century has no year."""
    return (date.first_year if date.first_year == date.last_year else None, date.month, date.day)
