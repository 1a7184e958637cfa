"""Finds spans of a text to mask, and where a passage states the same: values by meaning, words by stem."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rarr.backends.embedded.items import Item, items_of
from rarr.backends.embedded.phrases import Phrase, are_rivals, phrases, places_of
from rarr.backends.encoder import editor
from rarr.backends.encoder.inputs import MaskKind
from rarr.training.examples import Maskable, Place

LONGEST_PHRASE = 3  # words that are masked together
_SHORTEST_WORD = 4  # letters of the first and the last word of a phrase: not "in"
_MOST_OTHERS = 6
_OF_ITS_KIND = 0.6  # share of an error's characters that the value which gives its kind must have


class Corrected(NamedTuple):
    """A corrected error: the place and the right words in the text, and the wrong words that stood there."""

    place: Place
    right: str
    wrong: str


def maskable(text: str, passage: str, title: str, *, unsaid: bool) -> Iterator[Maskable]:
    """Yields the values, names and phrases of a text that its passage states; with `unsaid`, also others.

    A name in the title is left out: it is the topic of the passage, and tests nothing.
    """
    topic = {item.stem for item in items_of(title)}
    mine, its = phrases(text), phrases(passage)
    for phrase in mine:
        if topic.issuperset(item.stem for item in phrase.items):
            continue
        answers = places_of(phrase.items, passage)
        if answers or unsaid:
            rivals = [passage[it.start : it.end] for it in its if answers and are_rivals(phrase, it)]
            yield Maskable(
                place=(phrase.start, phrase.end),
                kind=editor.mask_kind(phrase),
                answers=answers,
                others=tuple(dict.fromkeys(rivals))[:_MOST_OTHERS],
            )
    yield from _word_runs(text, mine, passage, topic)


def shared(text: str, title: str, passage: str, errors: Sequence[Corrected]) -> dict[Place, Maskable]:
    """Finds the spans that a right text and its passage both state, by place. Each error is one span.

    Corrected words that the passage does not state are left out, with the values that overlap them.
    """
    values = {value.place: value for value in maskable(text, passage, title, unsaid=False)}
    for place, right, wrong in errors:
        answers = find(right, passage) or tuple(
            answer for value in values.values() if _overlap(value.place, place) for answer in value.answers
        )
        values = {at: value for at, value in values.items() if not _overlap(at, place)}
        if answers:
            values[place] = Maskable(place=place, kind=mask_kind(right), answers=answers, others=(wrong,))
    return values


def mask_kind(words: str) -> MaskKind:
    """Returns the kind of the value or name that makes up at least 60% of these words; else `word`."""
    large = (it for it in phrases(words) if it.end - it.start >= _OF_ITS_KIND * len(words))
    return next((editor.mask_kind(it) for it in large), "word")


def find(words: str, passage: str) -> tuple[Place, ...]:
    """Returns the places of these words in the passage, in any inflection, and values in any form."""
    return places_of(items_of(words), passage)


def _word_runs(text: str, mine: Sequence[Phrase], passage: str, topic: set[str]) -> Iterator[Maskable]:
    """Yields at each word the longest run, of up to three words, that the passage has too.

    A run has no value, name or comma, and begins and ends with a word of four letters or more.
    """
    taken = {item for phrase in mine for item in phrase.items}
    items = items_of(text)
    for first, item in enumerate(items):
        if item in taken or item.stem in topic or _is_short(item):
            continue
        best: Maskable | None = None
        for run in (items[first : first + size] for size in range(1, LONGEST_PHRASE + 1)):
            breaks = any("," in text[one.end : other.start] for one, other in pairwise(run))
            answers = () if breaks or taken.intersection(run) else places_of(run, passage)
            if not answers:
                break
            if not _is_short(run[-1]):
                best = Maskable(place=(item.start, run[-1].end), kind="word", answers=answers)
        if best is not None:
            yield best


def _is_short(item: Item) -> bool:
    return item.end - item.start < _SHORTEST_WORD


def _overlap(place: Place, other: Place) -> bool:
    return place[0] < other[1] and other[0] < place[1]
