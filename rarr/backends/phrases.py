"""Finds the values (such as numbers and dates) and the names of a text, and looks for them in a passage."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.backends.embedded.items import Item, is_same_item, items_of
from rarr.backends.embedded.values.comparing import compare


class Phrase(NamedTuple):
    """A value or a name at `start` to `end` of a text. `items`: the value, or the words of the name."""

    start: int
    end: int
    items: tuple[Item, ...]


def values_and_names(text: str) -> list[Phrase]:
    """Returns the values and names of a text, in order. The words of a name form one phrase."""
    found: list[Phrase] = []
    for item in items_of(text):
        last = found[-1] if found else None
        if item.is_name and last and last.items[-1].is_name and not text[last.end : item.start].strip():
            found[-1] = Phrase(last.start, item.end, (*last.items, item))
        elif item.is_name or item.value:
            found.append(Phrase(item.start, item.end, (item,)))
    return found


def contradict(phrase: Phrase, other: Phrase) -> bool:
    """Tells whether two phrases are different values, or are names that have no word in common.

    Values must have the same kind and unit. Words with the same first four letters count as equal.
    """
    one, second = phrase.items[0].value, other.items[0].value
    if one and second:
        return one.kind == second.kind and one.unit == second.unit and compare(one, second) == "different"
    words = {item.key[:4] for item in phrase.items}
    return not (one or second) and words.isdisjoint(item.key[:4] for item in other.items)


def places_of(wanted: Sequence[Item], passage: str) -> tuple[tuple[int, int], ...]:
    """Returns the places (start, end) in `passage` where the `wanted` items follow one another."""
    items, size = items_of(passage), len(wanted)
    runs = (items[at : at + size] for at in range(len(items) - size + 1)) if size else ()
    return tuple((run[0].start, run[-1].end) for run in runs if all(map(is_same_item, wanted, run)))
