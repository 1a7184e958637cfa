"""The checkable values of a sentence, of every kind, and how two of them compare."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from rarr.backends.rules.dates import Date, dates, same_date
from rarr.backends.rules.exclusive_words import ExclusiveTerm, exclusive_terms, same_term
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.proper_names import ProperName, proper_names
from rarr.backends.rules.quantities import Quantity, quantities, same_quantity
from rarr.tools.text.document import Span

ValueKind = Literal["date", "number", "name", "term"]


class Value(NamedTuple):
    """A value in a sentence, `start` to `end`, with what was read there."""

    start: int
    end: int
    kind: ValueKind
    read: Date | Quantity | ProperName | ExclusiveTerm


def value_extent(value: Value) -> Span:
    """The place of a value with its unit."""
    return Span(value.start, value.read.tail if isinstance(value.read, Quantity) else value.end)


@lru_cache(maxsize=4096)
def checkable_values(text: str) -> tuple[Value, ...]:
    """The values of `text` in order, without overlaps.

    Dates come before names before numbers; a rank such as second-largest is one term, not a number.
    """
    all_terms = list(exclusive_terms(text))
    ranks = [term for term in all_terms if "-" in text[term.start : term.end]]
    found: list[Value] = []
    taken = bytearray(len(text))  # which characters a value has
    kinds: tuple[tuple[ValueKind, Iterable[Date | Quantity | ProperName | ExclusiveTerm]], ...] = (
        ("date", dates(text)),
        ("term", ranks),
        ("name", proper_names(text)),
        ("number", quantities(text)),
        ("term", all_terms),
    )
    for kind, readings in kinds:
        for read in readings:
            if not any(taken[read.start : read.end]):
                taken[read.start : read.end] = b"1" * (read.end - read.start)
                found.append(Value(read.start, read.end, kind, read))
    return tuple(sorted(found, key=lambda value: value.start))


def same_value(one: Value, other: Value) -> bool | None:
    """Can two values mean the same? None where they are of kinds that do not compare."""
    match one.read, other.read:
        case Date() as mine, Date() as its:
            return same_date(mine, its)
        case Quantity() as mine, Quantity() as its:
            return same_quantity(mine, its)
        case ProperName() as mine, ProperName() as its:
            return same_name(mine.text, its.text)
        case ExclusiveTerm() as mine, ExclusiveTerm() as its:
            return same_term(mine, its)
    return None
