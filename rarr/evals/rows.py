"""Reads files of JSON lines: each line becomes a row, and lines that are no rows are listed by number."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Annotated, Any, Generic, NamedTuple, TypeVar, cast

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from rarr.errors import InputError
from rarr.evals.metrics.classification import ATTRIBUTION_CLASSES
from rarr.records import AttributionClass, Record
from rarr.retrievers.extract.extracted_document import parse_time
from rarr.valid_unicode import valid

Text = Annotated[str, StringConstraints(pattern=r"\S")]
"""A text that is not empty."""


def _listed(given: Any) -> Any:
    return [given] if isinstance(given, str | dict) else given


Texts = Annotated[tuple[Text, ...], BeforeValidator(_listed)]
"""A text, or a list of texts."""


class Row(BaseModel):
    """Base of all rows. Keys that a row does not declare are ignored; null is the same as a missing key."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[Text, BeforeValidator(lambda given: str(given) if type(given) is int else given)]


class RowEvidence(BaseModel):
    """A piece of evidence of a row. `source` is its address; empty if the row gives none."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: Text
    title: str = ""
    source: str = Field("", validation_alias=AliasChoices("url", "source"))
    published_at: datetime | None = None

    @property
    def given(self) -> dict[str, str]:
        """The fields that a passage needs, without empty ones."""
        return {name: text for name in ("text", "title", "source") if (text := getattr(self, name))}

    @model_validator(mode="before")
    @classmethod
    def _is_text_or_object(cls, given: Any) -> Any:
        return {"text": given} if isinstance(given, str) else given

    @field_validator("published_at", mode="before")
    @classmethod
    def _is_date(cls, given: Any) -> datetime | None:
        time = parse_time(given)
        if time is None and given != "":
            raise ValueError("give a date such as 2020-01-31")
        return time


class EvalRow(Row):
    """One text of the data of `rarr eval`. `revised` is a person's revision; None if there is none.

    `evidence` (which may be empty) is searched; if it is None, what the settings name is searched.
    """

    text: Text
    context: str | None = None
    evidence: tuple[RowEvidence, ...] | None = None
    revised: Text | None = None


class ClaimRow(Row):
    """A claim with its evidence, which may be empty. `label` and `supported` are the judgement of people.

    Both are None if nobody judged the claim; `label` is None if people only decided whether it is supported.
    """

    claim: Text
    evidence: Annotated[tuple[RowEvidence, ...], BeforeValidator(_listed)]
    question: Text | None = None
    label: AttributionClass | None = None
    supported: StrictBool | None = None

    @model_validator(mode="before")
    @classmethod
    def _supported_is_attributable(cls, given: Any) -> Any:
        if not isinstance(given, dict) or not isinstance(label := given.get("label"), str):
            return given
        if (label := label.strip().lower()) not in ATTRIBUTION_CLASSES:
            raise ValueError(f'its "label" is {label!r}: give {", ".join(ATTRIBUTION_CLASSES)}')
        supported = label == "attributable"
        if given.get("supported", supported) is not supported:
            raise ValueError(f'its "label" is {label!r}, and its "supported" says otherwise: keep one')
        return given | {"label": label, "supported": supported}


Kind = TypeVar("Kind", bound=Row)


class Unreadable(Record):
    """A line of the data that is not a row, and the reason."""

    line: int
    reason: str


class Data(NamedTuple, Generic[Kind]):
    """The content of a data file. `digest` is the SHA-256 digest of all its bytes, unpacked."""

    rows: list[Kind]
    unreadable: list[Unreadable]
    digest: str


class WrongRowError(Exception):
    """A line that is not a row. The message is the reason, such as 'it has no "text"'."""


def read_rows(path: Path, kind: type[Kind], example: str) -> Data[Kind]:
    """Reads the rows of a file of JSON lines, gzipped if its name ends in `.gz`.

    A row without an "id" gets the number of its line. Raises `InputError`, with the `example` of a line, if
    the file, or all its lines, cannot be read.
    """
    rows: dict[str, Kind] = {}
    unreadable: list[Unreadable] = []
    digest = hashlib.sha256()
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            digest.update(line)
            if not line.strip(b" \t\r\n\xef\xbb\xbf"):
                continue
            try:
                row = made(kind, parsed(line, number), number)
                if row.id in rows:
                    raise WrongRowError(f"its id {row.id!r} is that of an earlier line")
                rows[row.id] = row
            except WrongRowError as wrong:
                unreadable.append(Unreadable(line=number, reason=str(wrong)))
    if not rows:
        why = f"line {unreadable[0].line}: {unreadable[0].reason}" if unreadable else "it is empty"
        raise InputError(f"{path} has no row ({why}): give a line such as {example}")
    return Data(list(rows.values()), unreadable, digest.hexdigest())


def read_all(path: Path, kind: type[Kind], example: str) -> list[Kind]:
    """Reads the rows of a file of which every line must be a row; otherwise raises `InputError`.

    A benchmark over a part of its data would be another benchmark.
    """
    data = read_rows(path, kind, example)
    if data.unreadable:
        wrong = data.unreadable[0]
        raise InputError(f"{path}, line {wrong.line}: {wrong.reason}: give lines such as {example}")
    return data.rows


def parsed(line: bytes, number: int) -> dict[str, Any]:
    """Parses a line. Raises `WrongRowError` if it is no JSON object; the message has the position."""
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        value = valid(json.loads(text))
    except UnicodeDecodeError as error:
        at = f"byte 0x{line[error.start]:02x} at offset {error.start}"
        raise WrongRowError(f"it is not UTF-8 ({at})") from None
    except json.JSONDecodeError as error:
        raise WrongRowError(f"it is not JSON ({error.msg}, at character {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise WrongRowError(f"it is not JSON that can be read ({error})") from None
    if not isinstance(value, dict):
        raise WrongRowError("it is JSON, but not an object in braces")
    return value


def made(kind: type[Kind], value: dict[str, Any], number: int) -> Kind:
    """Makes a row of an object. Raises `WrongRowError` for an object that is no such row."""
    value = _without_null({"id": number} | _without_null(value))
    try:
        return kind.model_validate_json(json.dumps(value))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
        if first["type"] == "missing":
            raise WrongRowError(f'it has no "{place}"') from None
        if not place:
            raise WrongRowError(first["msg"].removeprefix("Value error, ")) from None
        raise WrongRowError(f'its "{place}" is wrong ({_plain(first["type"], first["msg"])})') from None


def _plain(kind: str, message: str) -> str:
    return "it is empty" if kind == "string_pattern_mismatch" else message.removeprefix("Value error, ")


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_null(part) for name, part in value.items() if part is not None}
    return [_without_null(part) for part in value] if isinstance(value, list) else value


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with cast(IO[bytes], gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as file:
            yield file
    except (OSError, EOFError, ValueError, zlib.error) as error:  # ValueError: the path holds a NUL byte
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({reason}): give the path of a file of JSON lines") from None
