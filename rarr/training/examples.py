"""Makes the training examples of the encoder from training rows."""

import random
from collections.abc import Iterator, Sequence
from typing import Literal

from rarr.backends.embedded.items import items_of
from rarr.backends.encoder import editor
from rarr.backends.encoder.inputs import MaskKind
from rarr.backends.phrases import places_of, values_and_names
from rarr.records import Evidence, Record
from rarr.training.rows import Mistake, TrainingRow, with_errors

Place = tuple[int, int]  # start and end in characters; the end is excluded
Label = Literal["attributable", "extrapolatory", "contradictory", "not_supported"]
"""The class of a text, given its passage. `not_supported` means extrapolatory or contradictory."""


class ClozeValue(Record):
    """A value or name that training may hide in a text. `answers`: all its places in the passage."""

    place: Place
    kind: MaskKind
    answers: tuple[Place, ...]


class Example(Record):
    """A text and a passage. Has the class of the text, or values to hide in the text (Glass et al. 2020)."""

    text: str
    title: str
    passage: str
    label: Label | None = None
    values: tuple[ClozeValue, ...] = ()


def cloze_values(text: str, passage: str, title: str) -> tuple[ClozeValue, ...]:
    """Returns the values and names of a text, with their places in the passage.

    Leaves out values and names of the title, because they are too easy to find in the passage.
    """
    topic = {item.stem for item in items_of(title)}
    return tuple(
        ClozeValue(place=(it.start, it.end), kind=editor.mask_kind(it), answers=places_of(it.items, passage))
        for it in values_and_names(text)
        if not topic.issuperset(item.stem for item in it.items)
    )


def with_one_value(example: Example, rng: random.Random) -> Example:
    """Returns the example with only one of its values to hide, drawn at random."""
    some = (rng.choice(example.values),) if example.values else ()
    return example.model_copy(update={"values": some})


def examples_of_row(row: TrainingRow) -> Iterator[Example]:
    """Yields examples of each sentence: without errors, with its errors, and with values to hide.

    Values to hide must be in the passage. The second and third example may be missing.
    """
    for text, evidence, edits in sentences_and_mistakes(row):
        title, passage = evidence.title, evidence.text
        yield Example(text=text, title=title, passage=passage, label="attributable")
        if edits:
            wrong = with_errors(text, edits)
            yield Example(text=wrong, title=title, passage=passage, label="contradictory")
        if values := tuple(value for value in cloze_values(text, passage, title) if value.answers):
            yield Example(text=text, title=title, passage=passage, values=values)


def sentences_and_mistakes(row: TrainingRow) -> Iterator[tuple[str, Evidence, Sequence[Mistake]]]:
    """Yields each sentence of the summary, with the passage that best supports it, and with its errors."""
    evidence = {passage.id: passage for passage in row.relevant}
    for it in row.scores:
        edits = [edit for edit in row.edits if it.start <= edit.start < it.end]
        placed = [edit.model_copy(update={"start": edit.start - it.start}) for edit in edits]
        yield row.summary[it.start : it.end], evidence[it.evidence_id], placed
