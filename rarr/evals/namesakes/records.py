"""Declares entities, and the sets of queries about entities of one name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError, field_validator

from rarr.errors import InputError
from rarr.evals.json_lines import WrongRowError, json_lines
from rarr.evals.rows import read_lines
from rarr.records import Record
from rarr.tools.storage.files import write_lines

Task = Literal["qa", "sf", "fc"]
"""Answering a question, filling a slot ("Apollo [SEP] director"), and checking a claim."""
TASKS: tuple[Task, ...] = ("qa", "sf", "fc")


class PropertyValue(Record):
    """A value of a property, such as a person's name, and other ways to write it."""

    text: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()

    @property
    def writings(self) -> tuple[str, ...]:
        """All ways to write the value."""
        return self.text, *self.aliases


class Entity(Record):
    """A thing with a name. `documents` are about it; `types` are nouns for its kind, such as "film".

    `popularity` is in any unit, such as page views a month. A document is named as the corpus names it: the
    path of a file in the folder, with "#3" for its third record, or the address that a record gives itself.
    In a file, a value may be a string, or an object with "text" and "aliases".
    """

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    properties: dict[str, tuple[PropertyValue, ...]] = Field(default_factory=dict)
    popularity: float = Field(ge=0)
    documents: tuple[str, ...] = Field(min_length=1)

    @field_validator("properties", mode="before")
    @classmethod
    def _reads_strings_as_values(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {name: [_value(value) for value in _listed(values)] for name, values in given.items()}


class NameQuery(Record):
    """A query about an entity of a set, which the documents `gold` answer.

    `text_with_kind` names the entity with its kind: "the film Apollo". It is empty where no type is known, or
    for a slot. A claim (`task` fc) is true, or false with `value` in the place of one of `answers`.
    """

    id: str
    task: Task
    entity_id: str
    property: str
    text: str
    text_with_kind: str = ""
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    is_true: bool | None = None
    value: str = ""


class Member(Record):
    """An entity of a set: its popularity, all its documents, and whether it is the head."""

    entity_id: str
    type: str
    popularity: float
    is_head: bool
    documents: tuple[str, ...]


class NameSet(Record):
    """The entities of one name, head first, and queries that only one of them can answer."""

    id: str
    name: str
    members: tuple[Member, ...]
    queries: tuple[NameQuery, ...]


class CorpusDocument(NamedTuple):
    """A document of a corpus. `name` is its name in `Entity.documents`."""

    name: str
    title: str
    text: str


def read_entities(path: Path) -> list[Entity]:
    """Reads a list of entities from JSON lines. Raises `InputError` for a line that is none."""
    example = '{"id": "a1", "name": "Apollo", "popularity": 90, "documents": ["apollo.md"], ...}'
    return _records(path, Entity, example)


def read_sets(path: Path) -> list[NameSet]:
    """Reads sets from JSON lines. Raises `InputError` for a line that is none."""
    return _records(path, NameSet, "those that `rarr bench name-sets` writes")


def holds_entities(path: Path) -> bool:
    """Is the first line of the file an entity, and no set of queries?"""
    first = next(json_lines(path), None)
    try:
        return first is not None and "documents" in first.value() and "queries" not in first.value()
    except WrongRowError:
        return False  # whoever reads the whole file says what is wrong


def write_sets(path: Path, sets: Sequence[NameSet]) -> None:
    """Writes each set as a line. Raises `InputError` if the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_lines(path, (each.model_dump_json(exclude_defaults=True).encode() + b"\n" for each in sets))
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}): name another file") from error


def _records(path: Path, kind: type[Any], example: str) -> list[Any]:
    def record(value: dict[str, Any], number: int) -> Any:
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            if first["type"] == "missing":
                raise WrongRowError(f'it has no "{place}"') from None
            raise WrongRowError(f'its "{place}" is wrong ({first["msg"]})') from None

    records, unreadable, _ = read_lines(path, record, example)
    if unreadable:
        wrong = unreadable[0]
        raise InputError(f"{path}, line {wrong.line}: {wrong.reason}: give lines such as {example}")
    return records


def _listed(values: Any) -> Any:
    return values if isinstance(values, list | tuple) else [values]


def _value(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value
