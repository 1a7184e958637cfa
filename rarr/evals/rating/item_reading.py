"""Reads the items that people rate: claims with evidence, and texts with their revision."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from rarr.errors import InputError
from rarr.evals.json_lines import WrongRowError, json_lines
from rarr.records import Record

_SHAPES = '"claim" (or "text") and "evidence", or "original" and "revised"'
_EVIDENCE = 'a text, a list of texts, or a list of objects with a "text"'


class RatedPassage(Record):
    """A passage of evidence as raters see it. `source` is its address, or empty."""

    text: str
    title: str = ""
    source: str = ""


class RatingItem(Record):
    """One item to rate. It has a claim with evidence, or an original with its revision, or both.

    `question` is the question or dialog that the claim answers. Labels of the data are left out, so that
    raters do not see them.
    """

    id: str
    claim: str | None = None
    evidence: tuple[RatedPassage, ...] = ()
    question: str | None = None
    original: str | None = None
    revised: str | None = None


def read_items(path: Path) -> list[RatingItem]:
    """Reads the items of a file of JSON lines, gzipped if its name ends in `.gz`.

    A line has "claim" (or "text") with "evidence", or "original" with "revised", or both; optionally "id"
    (default: the line's number) and "question" (or "context"). Evidence without a claim is about "revised".
    Other keys are not read. Raises `InputError` for a file that cannot be read, and for the first line that
    has nothing to rate.
    """
    items: dict[str, RatingItem] = {}
    for line in json_lines(path):
        place = f"line {line.number} of {path}"
        try:
            value = line.value()
        except WrongRowError as wrong:
            raise InputError(f"{place}: {wrong}: give an object with {_SHAPES}") from None
        item = _item(value, line.number, place)
        if item.id in items:
            raise InputError(f"{place} has the id {item.id!r} of an earlier line: change it")
        items[item.id] = item
    if not items:
        raise InputError(f"{path} has no row to rate: give a line with {_SHAPES} for each item")
    return list(items.values())


def digest_of(items: Sequence[RatingItem]) -> str:
    """Makes the SHA-256 digest of items. It tells exports of the same data from others."""
    values = [item.model_dump(mode="json") for item in items]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


_Text = Annotated[str, StringConstraints(pattern=r"\S")]


class _Given(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _GivenPassage(_Given):
    text: _Text
    title: str | None = None
    source: str | None = Field(None, validation_alias=AliasChoices("url", "source"))


class _GivenItem(_Given):
    id: _Text | int | None = None
    claim: _Text | None = None
    text: _Text | None = None
    evidence: str | list[_Text | _GivenPassage] | None = None
    question: str | None = None
    context: str | None = None
    original: _Text | None = None
    revised: _Text | None = None


def _item(value: dict[str, Any], number: int, place: str) -> RatingItem:
    row = _row(value, place)
    evidence = _passages(row.evidence)
    compared = row.original is not None and row.revised is not None
    claim = (row.claim or row.text or (row.revised if compared else None)) if evidence else None
    if claim is None and not compared:
        raise InputError(f"{place} has nothing to rate: give it {_SHAPES}, or leave it out")
    return RatingItem(
        id=str(number if row.id is None else row.id),
        claim=claim,
        evidence=evidence,
        question=row.question or row.context or None,
        original=row.original if compared else None,
        revised=row.revised if compared else None,
    )


def _row(value: dict[str, Any], place: str) -> _GivenItem:
    try:
        return _GivenItem.model_validate(value)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        shape = _EVIDENCE if name == "evidence" else "a text that is not empty"
        raise InputError(f'{place} has a "{name}" of another kind: give {shape}, or leave it out') from None


def _passages(given: str | list[str | _GivenPassage] | None) -> tuple[RatedPassage, ...]:
    pieces = [given] if isinstance(given, str) else given or []
    return tuple(
        RatedPassage(text=piece)
        if isinstance(piece, str)
        else RatedPassage(text=piece.text, title=piece.title or "", source=piece.source or "")
        for piece in pieces
        if not isinstance(piece, str) or piece.strip()
    )
