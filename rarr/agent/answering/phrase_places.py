"""Finds the places in a sentence where the value of a triple stands, in any of the forms of the value."""

from collections.abc import Sequence

from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.values import Value, checkable_values, same_value
from rarr.retrievers.graph.triples import Triple, name_key, value_forms, words_of
from rarr.tools.text.blocks_and_sentences import Span

_COMPARED = ("date", "number")  # kinds that texts write in many ways


def value_places(triple: Triple, sentence: str) -> list[Span]:
    """Returns the places of the value: where its words stand, else where dates and numbers mean the same."""
    if places := phrase_places(triple, sentence):
        return places
    values, own = _compared(triple), checkable_values(sentence)
    same = [[other for other in own if agrees(value, other)] for value in values]
    return [Span(other.start, other.end) for others in same for other in others] if all(same) else []


def phrase_places(triple: Triple, sentence: str) -> list[Span]:
    """Returns the places of the words of the value.

    Not as a part of its subject's name, and not as a part of a longer name: the Dutch Republic is not Dutch.
    Not within another date or number either: 1867 is no part of "3 May 1867" for a birth in November 1867.
    """
    values, own = _compared(triple), checkable_values(sentence)
    subject = phrase_spans(sentence, triple.subject)
    return [
        place
        for form in value_forms(triple.object)
        for place in phrase_spans(sentence, form)
        if not any(_closes(each, _joined(place, each, subject, sentence), values) for each in own)
        and not any(place.overlaps(name) for name in subject)
    ]


def phrase_spans(text: str, phrase: str) -> list[Span]:
    """Returns the places in `text` of the words of `phrase`; marks and capitals do not count."""
    wanted, words = name_key(phrase).split(), words_of(text)
    size = len(wanted)
    return [
        Span(words[at][1], words[at + size - 1][2])
        for at in range(len(words) - size + 1 if size else 0)
        if [word for word, _, _ in words[at : at + size]] == wanted
    ]


def agrees(first: Value, second: Value) -> bool:
    """Are they dates or numbers that can mean the same?"""
    return first.kind in _COMPARED and bool(same_value(first, second))


def _compared(triple: Triple) -> list[Value]:
    """Returns the dates and numbers in the value of the triple."""
    return [value for value in checkable_values(value_forms(triple.object)[0]) if value.kind in _COMPARED]


def _joined(place: Span, own: Value, subject: Sequence[Span], sentence: str) -> Span:
    """Joins the place with its subject's name right behind it, as in "Physicist Marie Curie" at a start."""
    behind = next((name for name in subject if sentence[place.end : name.start].isspace()), None)
    return Span(place.start, behind.end) if own.kind == "name" and behind else place


def _closes(own: Value, place: Span, values: Sequence[Value]) -> bool:
    """Do the words at this place mean something else, because they belong to a name, date or number?

    `values` are the dates and numbers of the triple.
    """
    if not place.overlaps(Span(own.start, own.end)):
        return False
    is_whole = place.start <= own.start and own.end <= place.end
    if own.kind == "name":
        return own.start <= place.start and place.end <= own.end and not is_whole
    if own.kind not in _COMPARED or any(agrees(value, own) for value in values):
        return False
    return not is_whole or not _may_be_written_so(own, values)


def _may_be_written_so(own: Value, values: Sequence[Value]) -> bool:
    """May a number or date of the sentence, which has the words of the value, be the value nevertheless?

    A graph often leaves out the unit: 221 may be 221 metres. But 20% is not 20 years.
    """
    return not values or any(
        same_value(value, own) is None and not (isinstance(value.read, Quantity) and value.read.unit)
        for value in values
    )
