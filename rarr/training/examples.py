"""Declares the training examples, and makes them of rows of noising.

Spans of a text are masked where a passage states the same: values by meaning, words by stem.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal

from rarr.backends.embedded.items import Item, items_of
from rarr.backends.embedded.phrases import Phrase, phrases, places_of
from rarr.backends.encoder import editor
from rarr.backends.encoder.inputs import MaskKind
from rarr.records import Evidence, Record
from rarr.training.rows import Mistake, TrainingRow, corrupted

LONGEST_PHRASE = 3  # words that are masked together
_SHORTEST_WORD = 4  # letters of the first and the last word of a phrase: not "in"
_OF_ITS_KIND = 0.6  # share of an error's characters that the value which gives its kind must have

Place = tuple[int, int]  # characters, the end excluded
Class = Literal["attributable", "extrapolatory", "contradictory", "not_supported"]


class Maskable(Record):
    """A span of a text that can be masked. The passage states it at `answers`; empty: nowhere."""

    place: Place
    kind: MaskKind
    answers: tuple[Place, ...]


class Cloze(Record):
    """A text with spans to mask, and the places in the passage that fill them (Glass et al. 2020)."""

    text: str
    title: str
    passage: str
    values: tuple[Maskable, ...]


class LabelledText(Record):
    """One text about a passage, with its class. `wrong` are its wrong spans; None if they are unknown."""

    text: str
    label: Class
    wrong: tuple[Place, ...] | None = None


class Attribution(Record):
    """A training example: versions of a text about one passage, each with its class, judged in one batch."""

    title: str
    passage: str
    versions: tuple[LabelledText, ...]


def maskable(text: str, passage: str, title: str, *, unsaid: bool) -> Iterator[Maskable]:
    """Yields the values, names and phrases of a text that its passage states; with `unsaid`, also others.

    A name in the title is left out: it is the topic of the passage, and tests nothing.
    """
    topic = {item.stem for item in items_of(title)}
    found = phrases(text)
    for phrase in found:
        if topic.issuperset(item.stem for item in phrase.items):
            continue
        answers = places_of(phrase.items, passage)
        if answers or unsaid:
            place = (phrase.start, phrase.end)
            yield Maskable(place=place, kind=editor.mask_kind(phrase), answers=answers)
    yield from _word_runs(text, found, passage, topic)


def shared(text: str, title: str, passage: str, errors: Sequence[tuple[Place, str]]) -> dict[Place, Maskable]:
    """Finds the spans that a right text and its passage both state, by place.

    Each of the `errors`, which are corrected, is one span: its place and its right words.

    Corrected words that the passage does not state are left out, with the values that overlap them.
    """
    values = {value.place: value for value in maskable(text, passage, title, unsaid=False)}
    for place, right in errors:
        answers = places_of(items_of(right), passage) or tuple(
            answer for value in values.values() if _overlap(value.place, place) for answer in value.answers
        )
        values = {at: value for at, value in values.items() if not _overlap(at, place)}
        if answers:
            values[place] = Maskable(place=place, kind=mask_kind(right), answers=answers)
    return values


def mask_kind(words: str) -> MaskKind:
    """Returns the kind of the value or name that makes up at least 60% of these words; else `word`."""
    large = (it for it in phrases(words) if it.end - it.start >= _OF_ITS_KIND * len(words))
    return next((editor.mask_kind(it) for it in large), "word")


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


def attributions(row: TrainingRow) -> Iterator[Attribution]:
    """Yields an example for each part of the summary, beside the passage that supports it best.

    Its versions are the part as it is (attributable) and, if it has errors, with them (contradictory).
    """
    for text, evidence, edits in _parts(row):
        versions = [LabelledText(text=text, label="attributable", wrong=())]
        if edits:
            wrong, shift = list[Place](), 0
            for edit in edits:
                start = edit.start + shift
                wrong.append((start, start + len(edit.wrong)))
                shift += len(edit.wrong) - len(edit.right)
            corrupt = corrupted(text, edits)
            versions.append(LabelledText(text=corrupt, label="contradictory", wrong=tuple(wrong)))
        yield Attribution(title=evidence.title, passage=evidence.text, versions=tuple(versions))


def clozes(row: TrainingRow) -> Iterator[Cloze]:
    """Yields each part with the values that its passage also states, and the right words of its errors.

    A part without such values is left out.
    """
    for text, evidence, edits in _parts(row):
        errors = [((edit.start, edit.end), edit.right) for edit in edits]
        if values := shared(text, evidence.title, evidence.text, errors):
            masks = tuple(values.values())
            yield Cloze(text=text, title=evidence.title, passage=evidence.text, values=masks)


def _parts(row: TrainingRow) -> Iterator[tuple[str, Evidence, tuple[Mistake, ...]]]:
    """Yields runs of sentences of the summary that one passage supports best, with it and their errors."""
    evidence = {passage.id: passage for passage in row.relevant}
    for name, group in groupby(row.scores, key=lambda score: score.evidence_id):
        scores = list(group)
        start, end = scores[0].start, scores[-1].end
        edits = tuple(
            edit.model_copy(update={"start": edit.start - start})
            for edit in row.edits
            if start <= edit.start and edit.end <= end
        )
        yield row.summary[start:end], evidence[name], edits
