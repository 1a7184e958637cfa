"""Finds places of a text that depend on a corrected value: sums, spans of years, conclusions.

A reviser that corrects "1932" and leaves "after 40 years" makes a text that contradicts itself. The authors
of RARR name this failure (Gao et al. 2023, section 6).
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from rarr.records import Edit
from rarr.tools.text.blocks_and_sentences import Span, paragraph_end, sentences

_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w)|(?<![\w.,-])\d+(?:\.\d+)?(?!\w)")
_SMALL = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_TENS = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: n for n, word in enumerate(_SMALL, 2)} | {word: 10 * n for n, word in enumerate(_TENS, 3)}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_YEARS = re.compile(r"[ -]years?\b", re.IGNORECASE)
_UNIT = re.compile(r"[ -]?(%|[^\W\d_]+)")
_APART = re.compile(
    r"\b(?:more|less|fewer|higher|lower|longer|shorter|taller|deeper|wider|heavier|lighter|larger|smaller"
    r"|older|younger|later|earlier|apart|ahead|behind)\b",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:difference of|(?:rose|fell|grew|increased|decreased) by)\s+$", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:total|together|combined|altogether|in all|sum)\b", re.IGNORECASE)
_CONCLUSION = re.compile(
    r"\b(?:therefore|thus|hence|consequently|accordingly|as a result|for this reason|it follows"
    r"|(?:which|this|that) (?:means|makes|made|is why)|making (?:it|him|her|them))\b|^So,? ",
    re.IGNORECASE,
)


class PlacedEdit(NamedTuple):
    """An accepted edit, and the place of its new words in the text."""

    edit: Edit
    place: Span


class Dependent(NamedTuple):
    """A place that depends on the old value of a correction.

    `new` are the right words for the place, empty if only a reader can tell. `computed`: `new` comes from
    arithmetic.
    """

    place: Span
    edit: Edit
    new: str = ""
    computed: bool = False


class _TextNumber(NamedTuple):
    """A number of the text. `apart`: the words next to it say that it is a difference; `together`: a sum."""

    place: Span
    value: float
    unit: str
    apart: bool
    together: bool


def dependents(text: str, corrections: Sequence[PlacedEdit]) -> list[Dependent]:
    """Finds the places of `text` that depend on a corrected value, in the order of the text.

    These are numbers computed from it, words that repeat it, and conclusions from it. Of places that overlap,
    only the first of these kinds is kept.
    """
    by_place: dict[Span, Dependent] = {}
    for dependent in (
        *_computed_values(text, corrections),
        *_repeated_values(text, corrections),
        *_conclusions(text, corrections),
    ):
        if not any(dependent.place.overlaps(place) for place in by_place):
            by_place[dependent.place] = dependent
    return [by_place[place] for place in sorted(by_place)]


def _computed_values(text: str, corrections: Sequence[PlacedEdit]) -> Iterator[Dependent]:
    """Yields numbers that were the difference or the sum of two others, of which one or both were corrected.

    Only numbers from the sentence of the corrected number on are looked at. `new` is the number, recomputed.
    """
    numbers = _numbers(text)
    written = [(number, c) for c in corrections for number in numbers if number.place.overlaps(c.place)]
    old = {number.place: value for number, c in written if (value := _value(c.edit.old)) is not None}
    by_old: dict[float, list[_TextNumber]] = defaultdict(list)
    for number in numbers:
        by_old[round(old.get(number.place, number.value), 6)].append(number)
    for corrected, correction in written:
        if corrected.place not in old:
            continue
        old_value = old[corrected.place]
        first = next((s.start for s in sentences(text) if s.overlaps(corrected.place)), corrected.place.start)
        for derived in numbers:
            if derived.place in old or derived.place.start < first:
                continue
            values = [
                value
                for operand, value in _recomputed(derived, corrected, old_value, by_old)
                if operand not in (derived, corrected) and value != derived.value
            ]
            if values:
                new = _written(values[0], derived.place.of(text))
                yield Dependent(derived.place, correction.edit, new, computed=True)


def _recomputed(
    derived: _TextNumber,
    corrected: _TextNumber,
    old_value: float,
    by_old: Mapping[float, Sequence[_TextNumber]],
) -> Iterator[tuple[_TextNumber, float]]:
    """Finds the second operand: the number that gave `derived` together with the old value.

    Recomputes `derived` with the new value. Yields each such operand and the recomputed value. `by_old` has
    the numbers of the text by their values before the corrections.
    """
    for operand_value in (old_value - derived.value, old_value + derived.value):
        for operand in by_old.get(round(operand_value, 6), ()):
            if _is_difference(derived, operand, corrected, old_value, operand_value):
                yield operand, round(abs(corrected.value - operand.value), 6)
    for operand in by_old.get(round(derived.value - old_value, 6), ()):
        if derived.together and _have_same_unit(derived, operand, corrected):
            yield operand, corrected.value + operand.value


def _is_difference(
    derived: _TextNumber, operand: _TextNumber, corrected: _TextNumber, old_value: float, operand_value: float
) -> bool:
    """Is `derived`, which fits as a difference, written as a difference?

    It counts the years between two years, or has the unit of both numbers and a word such as "more".
    """
    if derived.unit == "years":
        return _is_year(old_value) and _is_year(operand_value)
    return derived.apart and _have_same_unit(derived, operand, corrected)


def _have_same_unit(derived: _TextNumber, operand: _TextNumber, corrected: _TextNumber) -> bool:
    return bool(derived.unit) and derived.unit == operand.unit == corrected.unit


def _repeated_values(text: str, corrections: Sequence[PlacedEdit]) -> Iterator[Dependent]:
    """Finds later places that repeat the old words of an edit, if these have a digit or a capital letter."""
    for edit, place in corrections:
        if not re.search(r"\d|[A-Z]", edit.old):
            continue
        for match in re.finditer(rf"(?<![\w.,-]){re.escape(edit.old)}(?![\w-]|[.,]\d)", text):
            if match.start() >= place.end:
                yield Dependent(Span(match.start(), match.end()), edit, edit.new)


def _conclusions(text: str, corrections: Sequence[PlacedEdit]) -> Iterator[Dependent]:
    """Finds later sentences of the same paragraph that have a word of conclusion, such as "therefore"."""
    for edit, place in corrections:
        end = paragraph_end(text, place.end)
        for span in sentences(text):
            if place.end <= span.start < end and _CONCLUSION.search(span.of(text)):
                yield Dependent(span, edit)


@lru_cache(maxsize=8)  # each edit of a text needs them
def _numbers(text: str) -> tuple[_TextNumber, ...]:
    places = sorted(Span(*match.span()) for pattern in (_NUMBER, _WORD) for match in pattern.finditer(text))
    spans = sentences(text)
    starts = [span.start for span in spans]
    numbers = []
    for place, following in zip_longest(places, places[1:], fillvalue=Span(len(text), len(text))):
        index = bisect_right(starts, place.start) - 1
        sentence = spans[index] if index >= 0 and spans[index].overlaps(place) else place
        behind = text[place.end : min(following.start, sentence.end)]
        apart = _APART.search(behind) or _BY.search(text[sentence.start : place.start])
        together = _TOGETHER.search(text, sentence.start, sentence.end)
        value = _number(place.of(text))
        numbers.append(_TextNumber(place, value, _unit(text, place.end), bool(apart), bool(together)))
    return tuple(numbers)


def _unit(text: str, end: int) -> str:
    if _YEARS.match(text, end):
        return "years"
    unit = _UNIT.match(text, end)
    return unit[1].casefold() if unit else ""


def _value(words: str) -> float | None:
    words = words.strip()
    return _number(words) if words.casefold() in _WORDS or _NUMBER.fullmatch(words) else None


def _number(words: str) -> float:
    """Reads a number in figures, such as "1,200", or in one word, such as "twelve"."""
    return float(_WORDS.get(words.casefold()) or words.replace(",", ""))


def _is_year(value: float) -> bool:
    return value.is_integer() and 1000 <= value <= 2100


def _written(value: float, like: str) -> str:
    """Writes `value` in the form of the number `like`: as a word, with commas, or with its decimals."""
    thousands = "," if "," in like else ""
    if "." in like or not value.is_integer():
        return f"{value:{thousands}.{len(like.partition('.')[2]) or 1}f}"
    word = next((word for word, number in _WORDS.items() if number == value), "")
    if like.casefold() in _WORDS and word:
        return word.capitalize() if like[0].isupper() else word
    return f"{int(value):{thousands}}"
