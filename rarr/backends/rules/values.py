"""Finds the values of a sentence that can be checked: dates, numbers, names and terms; and compares two.

A term is a word that excludes other words, such as "north" (`mutually_exclusive_words.py`).
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from rarr.backends.rules.dates import Date, dates, same_date
from rarr.backends.rules.mutually_exclusive_words import ExclusiveTerm, exclusive_terms, same_term
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.proper_names import ProperName, proper_names
from rarr.backends.rules.quantities import Quantity, quantities
from rarr.backends.rules.quantity_comparison import same_quantity
from rarr.tools.text.blocks_and_sentences import Span

ValueKind = Literal["date", "number", "name", "term"]


class Value(NamedTuple):
    """A date, number, name or term in a sentence, `start` to `end`; `read` is its parsed form.

    A term is a word that excludes others of its class, such as a direction or a rank.
    """

    start: int
    end: int
    kind: ValueKind
    read: Date | Quantity | ProperName | ExclusiveTerm


def value_extent(value: Value) -> Span:
    """Returns the place of a value, with the unit of a number."""
    return Span(value.start, value.read.tail if isinstance(value.read, Quantity) else value.end)


@lru_cache(maxsize=4096)
def checkable_values(text: str) -> tuple[Value, ...]:
    """Finds the values of `text` in order, without overlaps.

    Dates take precedence over names, and names over numbers. A rank such as second-largest is one term, not
    a number.
    """
    all_terms = list(exclusive_terms(text))
    ranks = [term for term in all_terms if "-" in text[term.start : term.end]]
    numbers = list(quantities(text))
    names = [name for name in proper_names(text) if not any(_is_in_unit(name, number) for number in numbers)]
    all_values: list[Value] = []
    taken = bytearray(len(text))  # which characters a value has
    kinds: tuple[tuple[ValueKind, Iterable[Date | Quantity | ProperName | ExclusiveTerm]], ...] = (
        ("date", dates(text)),
        ("term", ranks),
        ("name", names),
        ("number", numbers),
        ("term", all_terms),
    )
    for kind, readings in kinds:
        for read in readings:
            if not any(taken[read.start : read.end]):
                taken[read.start : read.end] = b"1" * (read.end - read.start)
                all_values.append(Value(read.start, read.end, kind, read))
    return tuple(sorted(all_values, key=lambda value: value.start))


def _is_in_unit(name: ProperName, number: Quantity) -> bool:
    """Is the name a word of the number's unit, such as Celsius in "25 degrees Celsius"?"""
    return number.end <= name.start and name.end <= number.tail


def same_value(first: Value, second: Value) -> bool | None:
    """Can two values mean the same? None if they cannot be compared: other kinds, or units, or classes."""
    match first.read, second.read:
        case Date() as first_meaning, Date() as second_meaning:
            return same_date(first_meaning, second_meaning)
        case Quantity() as first_meaning, Quantity() as second_meaning:
            return same_quantity(first_meaning, second_meaning)
        case ProperName() as first_meaning, ProperName() as second_meaning:
            return same_name(first_meaning.text, second_meaning.text)
        case ExclusiveTerm() as first_meaning, ExclusiveTerm() as second_meaning:
            return same_term(first_meaning, second_meaning)
    return None
