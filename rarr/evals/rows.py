"""Reads the data of an evaluation: JSON lines become rows; lines that are not rows are listed by number."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from rarr.errors import InputError
from rarr.evals.report_records import Unreadable
from rarr.records import Record
from rarr.retrievers.extract.documents import parse_time
from rarr.valid_unicode import valid


class GivenEvidence(Record):
    """A piece of evidence of a row. `source` is its address; empty if the row gives none."""

    text: str
    title: str = ""
    source: str = ""
    published_at: datetime | None = None


class EvalRow(Record):
    """One text of the data. `revised` is a person's revision; None if there is none.

    `evidence` (which may be empty) or `corpus` is searched; if both are None, what the settings name is
    searched.
    """

    id: str
    text: str
    context: str | None = None
    evidence: tuple[GivenEvidence, ...] | None = None
    corpus: Path | None = None
    revised: str | None = None


class EvalData(NamedTuple):
    """The content of a data file. `digest` is the SHA-256 digest of all its bytes, unpacked."""

    rows: list[EvalRow]
    unreadable: list[Unreadable]
    digest: str


class _WrongError(Exception):
    """A line that is not a row. The message is the reason, for an `Unreadable`."""


def read_rows(path: Path) -> EvalData:
    """Reads the rows of a file of JSON lines, gzipped if its name ends in `.gz`, and lists unreadable lines.

    A row is an object with "text" and optionally "id" (default: the line's number), "context", "evidence" (a
    list of objects with "text" and optionally "title", "url" or "source", "published_at"), "corpus" (a path
    relative to the file's folder) and "revised". null is the same as a missing key; other keys are not read.
    Raises `InputError` if the file, or all its lines, cannot be read.
    """
    rows: dict[str, EvalRow] = {}
    unreadable: list[Unreadable] = []
    digest = hashlib.sha256()
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            digest.update(line)
            if not line.strip(b" \t\r\n\xef\xbb\xbf"):
                continue
            try:
                row = _row(line, number, path.parent)
                if row.id in rows:
                    raise _WrongError(f"its id {row.id!r} is that of an earlier line")
                rows[row.id] = row
            except _WrongError as wrong:
                unreadable.append(Unreadable(line=number, reason=str(wrong)))
    if not rows:
        why = f"line {unreadable[0].line}: {unreadable[0].reason}" if unreadable else "it is empty"
        raise InputError(f'{path} has no row ({why}): give a line such as {{"text": "..."}} for each text')
    return EvalData(list(rows.values()), unreadable, digest.hexdigest())


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with cast(IO[bytes], gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({reason}): give the path of a file of JSON lines") from None


def _row(line: bytes, number: int, folder: Path) -> EvalRow:
    value = _object(line, first=number == 1)
    text = _string(value, "text", "it")
    if text is None:
        raise _WrongError('it has no "text"')
    revised = _string(value, "revised", "it")
    if revised == "":
        raise _WrongError('its "revised" is empty: leave it out if nobody revised the text')
    evidence, corpus = _evidence(value.get("evidence")), _corpus(value, folder)
    if evidence is not None and corpus is not None:
        raise _WrongError('it has both "evidence" and "corpus": keep one')
    return EvalRow(
        id=_id(value, number),
        text=text,
        context=_string(value, "context", "it"),
        evidence=evidence,
        corpus=corpus,
        revised=revised,
    )


def _object(line: bytes, *, first: bool) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig" if first else "utf-8")
    except UnicodeDecodeError as error:
        raise _WrongError(
            f"it is not UTF-8 (byte 0x{line[error.start]:02x} at offset {error.start})"
        ) from None
    try:
        value = valid(json.loads(text))
    except json.JSONDecodeError as error:
        raise _WrongError(f"it is not JSON ({error.msg}, at character {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise _WrongError(f"it is not JSON that can be read ({error})") from None
    if not isinstance(value, dict):
        raise _WrongError("it is JSON, but not an object in braces")
    return value


def _id(value: dict[str, Any], number: int) -> str:
    given = value.get("id")
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return _string(value, "id", "it", filled=True) or str(number)


def _string(value: dict[str, Any], name: str, owner: str, *, filled: bool = False) -> str | None:
    """Reads the string under `name`, or None. `filled` and "text" may not be empty; raises `_WrongError`."""
    given = value.get(name)
    if given is None:
        return None
    if not isinstance(given, str):
        raise _WrongError(f'{owner} has a "{name}" that is not a string')
    if (filled or name == "text") and not given.strip():
        raise _WrongError(f'{owner} has an empty "{name}"')
    return given


def _evidence(given: object) -> tuple[GivenEvidence, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list):
        raise _WrongError('its "evidence" is not a list')
    return tuple(_piece(piece, f"evidence {number}") for number, piece in enumerate(given, start=1))


def _piece(given: object, owner: str) -> GivenEvidence:
    if not isinstance(given, dict):
        raise _WrongError(f'{owner} is not an object with a "text"')
    text = _string(given, "text", owner)
    if text is None:
        raise _WrongError(f'{owner} has no "text"')
    return GivenEvidence(
        text=text,
        title=_string(given, "title", owner) or "",
        source=_string(given, "url", owner) or _string(given, "source", owner) or "",
        published_at=_published_at(given, owner),
    )


def _published_at(given: dict[str, Any], owner: str) -> datetime | None:
    text = _string(given, "published_at", owner)
    time = parse_time(text)
    if text and time is None:
        raise _WrongError(f'{owner} has a "published_at" that is not a date such as 2020-01-31')
    return time


def _corpus(value: dict[str, Any], folder: Path) -> Path | None:
    given = _string(value, "corpus", "it", filled=True)
    if given is None:
        return None
    path = folder / given
    try:
        there = path.exists()
    except OSError:  # the name is too long, or the folder may not be read
        there = False
    if not there:
        raise _WrongError(f'its "corpus" {given!r} does not exist')
    return path
