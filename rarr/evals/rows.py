"""The kinds of rows in data files, and how to read them. A row is the JSON object in a line of a file."""

import gzip
import json
import zlib
from datetime import datetime
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar, cast, get_args

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    ValidationError,
    field_validator,
    model_validator,
)

from rarr.errors import InputError
from rarr.records import AttributionClass
from rarr.retrievers.extract.documents import parsed_date
from rarr.settings.reading import cure_of
from rarr.valid_unicode import valid

ATTRIBUTION_CLASSES: tuple[AttributionClass, ...] = get_args(AttributionClass)
"""The classes of AttrScore (Yue et al. 2023, section 2)."""


def _require_text(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


def as_list(given: Any) -> Any:
    """Returns a list with `given` if `given` is a text or a dict. Returns any other value unchanged."""
    return [given] if isinstance(given, str | dict) else given


def _variants(given: Any) -> Any:
    parts = as_list(given)
    if not isinstance(parts, list):
        return parts
    values = ([it.get("text"), *it.get("aliases", ())] if isinstance(it, dict) else [it] for it in parts)
    return [writing for writings in values for writing in writings]


Text = Annotated[str, AfterValidator(_require_text)]
"""A text that is not empty."""
Texts = Annotated[tuple[Text, ...], BeforeValidator(as_list)]
"""A text, or a list of texts."""
Variants = Annotated[tuple[Text, ...], BeforeValidator(_variants)]
"""A text or an object with "text" and "aliases", or a list of these."""


class Row(BaseModel):
    """The base class of rows. Ignores unknown keys. A key with the value null counts as missing."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Annotated[Text, BeforeValidator(lambda given: str(given) if type(given) is int else given)]


class RatedPassage(BaseModel):
    """A passage of evidence, as raters see it. `source` is its address, or "" if the address is not known."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: Text
    title: str = ""
    source: str = Field("", validation_alias=AliasChoices("url", "source"))

    @model_validator(mode="before")
    @classmethod
    def _object_from_text(cls, given: Any) -> Any:
        return {"text": given} if isinstance(given, str) else given


class RowEvidence(RatedPassage):
    """A passage of evidence in a row, with the date of its publication."""

    published_at: datetime | None = None

    @property
    def passage_fields(self) -> dict[str, Any]:
        """Returns the fields that are not empty, by name. `revise` takes this dict as a source."""
        return {name: value for name, value in self.model_dump().items() if value}

    @field_validator("published_at", mode="before")
    @classmethod
    def _parse_date(cls, given: Any) -> datetime | None:
        if (time := parsed_date(given)) is None and given != "":
            raise ValueError("give a date such as 2020-01-31")
        return time


class EvalRow(Row):
    """A text to revise. `revised`: a person's revision. Without `evidence`, the settings name the sources."""

    text: Text = Field(validation_alias=AliasChoices("text", "original"))
    context: str | None = Field(None, validation_alias=AliasChoices("context", "question"))
    evidence: tuple[RowEvidence, ...] | None = None
    revised: Text | None = None


class ClaimRow(Row):
    """A claim with its evidence. `label` and `supported` are people's judgements; None: nobody judged.

    `system` wrote the claim, and `field` is the domain of the claim. Both are "" if they are not known.
    """

    claim: Text
    evidence: Annotated[tuple[RowEvidence, ...], BeforeValidator(as_list)]
    question: Text | None = None
    label: AttributionClass | None = None
    supported: StrictBool | None = None
    system: str = Field("", validation_alias=AliasChoices("system", AliasPath("meta", "system")))
    field: str = Field("", validation_alias=AliasChoices("field", AliasPath("meta", "field")))

    @model_validator(mode="before")
    @classmethod
    def _fill_label_and_supported(cls, given: Any) -> Any:
        label = given.get("label", given.get("label3")) if isinstance(given, dict) else None
        if not isinstance(label, str):
            return given
        label = label.strip().lower()
        supported = label == "attributable"
        if given.get("supported", supported) is not supported:
            raise ValueError(f'its "label" is {label!r}, which contradicts its "supported": keep one of them')
        return given | {"label": label, "supported": supported}


RowT = TypeVar("RowT", bound=Row)


def read_rows(path: Path, row_class: type[RowT], example: str = "those of its publishers") -> list[RowT]:
    """Reads the rows of a file of JSON lines. If the name of the file ends in `.gz`, the file is gzipped.

    A row without an "id" gets the number of its line as id. Raises `InputError` if the file cannot be read or
    has no row, or if a line is not a valid row. The message ends with `example`, after "give lines such as".
    """
    rows: dict[str, RowT] = {}
    try:
        with cast(IO[bytes], gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as file:
            lines = list(file)
    except (OSError, EOFError, ValueError, zlib.error) as error:  # ValueError: the path holds a NUL byte
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({reason}): give the path of a file of JSON lines") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip(b" \t\r\n\xef\xbb\xbf"):
            continue
        try:
            value = valid(json.loads(line.decode("utf-8-sig")))
            row = row_class.model_validate({"id": number, **_without_null(value)})
            why = f"an earlier line has the same id {row.id!r}" if row.id in rows else ""
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            why = f'its "{place}" is wrong ({cure_of(first)})' if place else cure_of(first)
        except (ValueError, TypeError, RecursionError) as error:
            why = "it is no JSON object in UTF-8"
            if isinstance(error, ValueError):
                why += f" ({error})"
        if why:
            raise InputError(f"{path}, line {number}: {why}: give lines such as {example}")
        rows[row.id] = row
    if not rows:
        raise InputError(f"{path} has no row: give lines such as {example}")
    return list(rows.values())


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_null(part) for name, part in value.items() if part is not None}
    return [_without_null(part) for part in value] if isinstance(value, list) else value
