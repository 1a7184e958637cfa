"""Declares the training examples of the encoder, and makes them of rows of noising."""

import random
from collections.abc import Iterator, Sequence
from typing import Literal

from rarr.backends.embedded.items import items_of
from rarr.backends.encoder import editor
from rarr.backends.encoder.inputs import MaskKind
from rarr.backends.phrases import phrases, places_of
from rarr.records import Evidence, Record
from rarr.training.rows import Mistake, TrainingRow, corrupted

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
        Value(place=(it.start, it.end), kind=editor.mask_kind(it), answers=places_of(it.items, passage))
        for it in phrases(text)
        if not topic.issuperset(item.stem for item in it.items)
    )


def with_one_value(example: Example, rng: random.Random) -> Example:
    """Keeps one value of an example to mask."""
    some = (rng.choice(example.values),) if example.values else ()
    return example.model_copy(update={"values": some})


def examples_of(row: TrainingRow) -> Iterator[Example]:
    """Yields each sentence of the summary as it is (attributable) and, if it has errors, with them.

    Then the sentence with the values that its passage states too, if there are any.
    """
    for text, evidence, edits in parts(row):
        title, passage = evidence.title, evidence.text
        yield Example(text=text, title=title, passage=passage, label="attributable")
        if edits:
            wrong = corrupted(text, edits)
            yield Example(text=wrong, title=title, passage=passage, label="contradictory")
        if values := tuple(value for value in values_of(text, passage, title) if value.answers):
            yield Example(text=text, title=title, passage=passage, values=values)


def parts(row: TrainingRow) -> Iterator[tuple[str, Evidence, Sequence[Mistake]]]:
    """Yields each sentence of the summary, with the passage that supports it best and its errors."""
    evidence = {passage.id: passage for passage in row.relevant}
    for it in row.scores:
        edits = [edit for edit in row.edits if it.start <= edit.start < it.end]
        placed = [edit.model_copy(update={"start": edit.start - it.start}) for edit in edits]
        yield row.summary[it.start : it.end], evidence[it.evidence_id], placed
