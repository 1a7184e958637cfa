"""Declares the training examples of the encoder, and makes them of rows of noising."""

import random
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from rarr.backends.embedded.items import items_of
from rarr.backends.embedded.phrases import phrases, places_of
from rarr.backends.encoder import editor
from rarr.backends.encoder.inputs import MaskKind
from rarr.records import Evidence, Record
from rarr.training.rows import Mistake, TrainingRow, corrupted

STATED = 0.8  # share of the masks whose value the passage states, where a text has both

Place = tuple[int, int]  # characters, the end excluded
Label = Literal["attributable", "extrapolatory", "contradictory", "not_supported"]
"""The class of a text by its passage; `not_supported` is one of the last two, it is not known which."""


class Value(Record):
    """A value or name of a text. The passage states it at `answers`; empty: nowhere."""

    place: Place
    kind: MaskKind
    answers: tuple[Place, ...]


class Example(Record):
    """A text about a passage: with its class, or with values to mask and look for (Glass et al. 2020)."""

    text: str
    title: str
    passage: str
    label: Label | None = None
    values: tuple[Value, ...] = ()


def values_of(text: str, passage: str, title: str) -> tuple[Value, ...]:
    """Finds the values and names of a text, and where its passage states each.

    A name in the title is left out: it is the topic of the passage, and tests nothing.
    """
    topic = {item.stem for item in items_of(title)}
    return tuple(
        Value(
            place=(it.start, it.end), kind=editor.mask_kind(it), answers=places_of(it.items, passage)
        )
        for it in phrases(text)
        if not topic.issuperset(item.stem for item in it.items)
    )  # fmt: skip


def with_one_value(example: Example, rng: random.Random) -> Example:
    """Keeps one value of an example to mask, mostly a value that the passage states."""
    stated = [value for value in example.values if value.answers]
    unstated = [value for value in example.values if not value.answers]
    chosen = stated if not unstated or (stated and rng.random() < STATED) else unstated
    return example.model_copy(update={"values": (rng.choice(chosen),)}) if chosen else example


def judged(row: TrainingRow) -> Iterator[Example]:
    """Yields each part of the summary as it is (attributable) and, if it has errors, with them."""
    for text, evidence, edits in parts(row):
        about = {"title": evidence.title, "passage": evidence.text}
        yield Example(text=text, label="attributable", **about)
        if edits:
            yield Example(text=corrupted(text, edits), label="contradictory", **about)


def clozes(row: TrainingRow) -> Iterator[Example]:
    """Yields each part with the values that its passage states too; parts without any are left out."""
    for text, evidence, _ in parts(row):
        values = values_of(text, evidence.text, evidence.title)
        if stated := tuple(value for value in values if value.answers):
            yield Example(text=text, title=evidence.title, passage=evidence.text, values=stated)


def parts(row: TrainingRow) -> Iterator[tuple[str, Evidence, Sequence[Mistake]]]:
    """Yields runs of sentences of the summary that one passage supports best, with it and their errors."""
    evidence = {passage.id: passage for passage in row.relevant}
    for name, group in groupby(row.scores, key=lambda score: score.evidence_id):
        scores = list(group)
        start, end = scores[0].start, scores[-1].end
        edits = [
            edit.model_copy(update={"start": edit.start - start})
            for edit in row.edits
            if start <= edit.start and edit.end <= end
        ]
        yield row.summary[start:end], evidence[name], edits
