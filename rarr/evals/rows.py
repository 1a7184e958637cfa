"""Reads the data of an evaluation: JSON lines become rows; lines that are not rows are listed by number."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from rarr.errors import InputError
from rarr.evals.json_lines import WrongRowError, json_lines
from rarr.evals.report_records import Unreadable
from rarr.records import Record
from rarr.retrievers.extract.extracted_document import parse_time


class RowEvidence(Record):
    """A piece of evidence of a row. `source` is its address; empty if the row gives none."""

    text: str
    title: str = ""
    source: str = ""
    published_at: datetime | None = None


class EvalRow(Record):
    """One text of the data. `revised` is a person's revision; None if there is none.

    `answers` are the variants of the right answer to the context.

    `evidence` (which may be empty) or `corpus` is searched; if both are None, what the settings name is
    searched.
    """

    id: str
    text: str
    context: str | None = None
    evidence: tuple[RowEvidence, ...] | None = None
    corpus: Path | None = None
    revised: str | None = None
    answers: tuple[str, ...] = ()


class EvalData(NamedTuple):
    """The content of a data file. `digest` is the SHA-256 digest of all its bytes, unpacked."""

    rows: list[EvalRow]
    unreadable: list[Unreadable]
    digest: str


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


Made = TypeVar("Made", bound=_HasId)


def read_rows(path: Path) -> EvalData:
    """Reads the rows of a file of JSON lines, gzipped if its name ends in `.gz`, and lists unreadable lines.

    A row is an object with "text" and optionally "id" (default: the line's number), "context", "evidence" (a
    list of objects with "text" and optionally "title", "url" or "source", "published_at"), "corpus" (a path
    relative to the file's folder), "revised" and "answers" (texts). null is the same as a missing key; other
    keys are not read. Raises `InputError` if the file, or all its lines, cannot be read.
    """
    return EvalData(*read_lines(path, partial(_row, folder=path.parent), '{"text": "..."} for each text'))


def read_lines(
    path: Path, make: Callable[[dict[str, Any], int], Made], example: str
) -> tuple[list[Made], list[Unreadable], str]:
    """Reads a file of JSON lines, gzipped if its name ends in `.gz`, and makes a row of each object.

    `make` gets the object and the line's number, and raises `WrongRowError` for an object that is no row.
    Returns the rows, the lines that are no rows, and the digest of the file. Raises `InputError`, with the
    `example` of a line, if the file, or all its lines, cannot be read.
    """
    rows: dict[str, Made] = {}
    unreadable: list[Unreadable] = []
    digest = hashlib.sha256()
    for line in json_lines(path, digest.update):
        try:
            row = make(line.value(), line.number)
            if row.id in rows:
                raise WrongRowError(f"its id {row.id!r} is that of an earlier line")
            rows[row.id] = row
        except WrongRowError as wrong:
            unreadable.append(Unreadable(line=line.number, reason=str(wrong)))
    if not rows:
        why = f"line {unreadable[0].line}: {unreadable[0].reason}" if unreadable else "it is empty"
        raise InputError(f"{path} has no row ({why}): give a line such as {example}")
    return list(rows.values()), unreadable, digest.hexdigest()


def _row(value: dict[str, Any], number: int, folder: Path) -> EvalRow:
    text = string_of(value, "text", "it")
    if text is None:
        raise WrongRowError('it has no "text"')
    revised = string_of(value, "revised", "it")
    if revised == "":
        raise WrongRowError('its "revised" is empty: leave it out if nobody revised the text')
    evidence, corpus = _evidence(value.get("evidence")), _corpus(value, folder)
    if evidence is not None and corpus is not None:
        raise WrongRowError('it has both "evidence" and "corpus": keep one')
    return EvalRow(
        id=row_id(value, number),
        text=text,
        context=string_of(value, "context", "it"),
        evidence=evidence,
        corpus=corpus,
        revised=revised,
        answers=_answers(value.get("answers")),
    )


def row_id(value: dict[str, Any], number: int) -> str:
    given = value.get("id")
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return string_of(value, "id", "it", filled=True) or str(number)


def string_of(value: dict[str, Any], name: str, owner: str, *, filled: bool = False) -> str | None:
    """Reads the string under `name`, or None. `filled` and "text" may not be empty; else `WrongRowError`."""
    given = value.get(name)
    if given is None:
        return None
    if not isinstance(given, str):
        article = "an" if name[0] in "aeio" else "a"
        raise WrongRowError(f'{owner} has {article} "{name}" that is not a string')
    if (filled or name == "text") and not given.strip():
        raise WrongRowError(f'{owner} has an empty "{name}"')
    return given


def _evidence(given: object) -> tuple[RowEvidence, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list):
        raise WrongRowError('its "evidence" is not a list')
    return tuple(evidence_piece(piece, f"evidence {number}") for number, piece in enumerate(given, start=1))


def evidence_piece(given: object, owner: str) -> RowEvidence:
    if not isinstance(given, dict):
        raise WrongRowError(f'{owner} is not an object with a "text"')
    text = string_of(given, "text", owner)
    if text is None:
        raise WrongRowError(f'{owner} has no "text"')
    return RowEvidence(
        text=text,
        title=string_of(given, "title", owner) or "",
        source=string_of(given, "url", owner) or string_of(given, "source", owner) or "",
        published_at=_published_at(given, owner),
    )


def _answers(given: object) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(text, str) and text.strip() for text in given):
        raise WrongRowError('its "answers" is not a list of texts')
    return tuple(given)


def _published_at(given: dict[str, Any], owner: str) -> datetime | None:
    text = string_of(given, "published_at", owner)
    time = parse_time(text)
    if text and time is None:
        raise WrongRowError(f'{owner} has a "published_at" that is not a date such as 2020-01-31')
    return time


def _corpus(value: dict[str, Any], folder: Path) -> Path | None:
    given = string_of(value, "corpus", "it", filled=True)
    if given is None:
        return None
    path = folder / given
    try:
        there = path.exists()
    except OSError:  # the name is too long, or the folder may not be read
        there = False
    if not there:
        raise WrongRowError(f'its "corpus" {given!r} does not exist')
    return path
