"""Training examples, one JSON object a line, and how they are read."""

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


class Value(Record):
    """A span of a text that a passage may say too: at `answers`, or, where there are none, nowhere.

    `others` are values of its kind that could be put in its place and would be wrong there.
    """

    place: Place
    kind: MaskKind
    answers: tuple[Place, ...]
    others: tuple[str, ...] = ()


class Cloze(_Example):
    """A text with spans to mask, and where the passage fills them (Glass et al. 2020, span selection)."""

    task: Literal["cloze"] = "cloze"
    text: str
    title: str
    passage: str
    values: tuple[Value, ...]


class Version(Record):
    """One text about a passage, with its class and the spans of it that are wrong, where that is known."""

    text: str
    label: Class
    wrong: tuple[Place, ...] | None = None


class Attribution(_Example):
    """Texts about one passage; of versions that differ in little, all are judged in one batch."""

    task: Literal["attribution"] = "attribution"
    title: str
    passage: str
    versions: tuple[Version, ...]


class Relevance(_Example):
    """A query and its passages (title, text), the first of which answers it."""

    task: Literal["relevance"] = "relevance"
    query: str
    passages: tuple[tuple[str, str], ...]


Example = Annotated[Cloze | Attribution | Relevance, Field(discriminator="task")]
_READER: TypeAdapter[Cloze | Attribution | Relevance] = TypeAdapter(Example)


def read(path: Path) -> list[Cloze | Attribution | Relevance]:
    """The examples of a file. Raises ValueError with the line that is none."""
    found = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                found.append(_READER.validate_json(line))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: not a training example: {error}") from error
    return found


def write(path: Path, examples: Iterable[Cloze | Attribution | Relevance]) -> int:
    """Writes the examples as a whole or not at all; how many there were."""
    told = [one.model_dump(exclude_defaults=True) | {"task": one.task} for one in examples]
    write_lines(path, [json.dumps(one).encode() + b"\n" for one in told])
    return len(told)
