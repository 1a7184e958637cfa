"""Declares the training examples, and reads and writes them as JSON lines."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from rarr.backends.encoder.inputs import MaskKind
from rarr.records import Record
from rarr.tools.storage.files import write_lines

Place = tuple[int, int]  # characters, the end excluded
Class = Literal["attributable", "extrapolatory", "contradictory", "not_supported"]


class _Example(Record):
    source: str


class Maskable(Record):
    """A span of a text that can be masked. The passage states it at `answers`; empty: nowhere.

    `others` are values of the same kind that would be wrong in its place.
    """

    place: Place
    kind: MaskKind
    answers: tuple[Place, ...]
    others: tuple[str, ...] = ()


class Cloze(_Example):
    """A text with spans to mask, and the places in the passage that fill them (Glass et al. 2020)."""

    task: Literal["cloze"] = "cloze"
    text: str
    title: str
    passage: str
    values: tuple[Maskable, ...]


class LabelledText(Record):
    """One text about a passage, with its class. `wrong` are its wrong spans; None if they are unknown."""

    text: str
    label: Class
    wrong: tuple[Place, ...] | None = None


class Attribution(_Example):
    """A training example: versions of a text about one passage, each with its class, judged in one batch."""

    task: Literal["attribution"] = "attribution"
    title: str
    passage: str
    versions: tuple[LabelledText, ...]


class Relevance(_Example):
    """A query and its passages (title, text). The first passage answers the query."""

    task: Literal["relevance"] = "relevance"
    query: str
    passages: tuple[tuple[str, str], ...]


Example = Annotated[Cloze | Attribution | Relevance, Field(discriminator="task")]
_READER: TypeAdapter[Cloze | Attribution | Relevance] = TypeAdapter(Example)


def read(path: Path) -> list[Cloze | Attribution | Relevance]:
    """Reads the examples of a file. Raises `ValueError` with the number of a line that is no example."""
    examples = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                examples.append(_READER.validate_json(line))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: not a training example: {error}") from error
    return examples


def write(path: Path, examples: Iterable[Cloze | Attribution | Relevance]) -> int:
    """Writes the examples, all or none, and returns their number."""
    lines = [example.model_dump(exclude_defaults=True) | {"task": example.task} for example in examples]
    write_lines(path, [json.dumps(line).encode() + b"\n" for line in lines])
    return len(lines)
