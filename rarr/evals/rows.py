"""The data of an evaluation: JSON lines in, rows out, and each line that is no row by its number."""

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
from rarr.evals.reports import Unreadable
from rarr.records import Record
from rarr.retrievers.extract.documents import parse_time
from rarr.unicode import valid


class GivenEvidence(Record):
    """An evidence that a row brings along. `source` is its address; empty where the row gives none."""

    text: str
    title: str = ""
    source: str = ""
    published_at: datetime | None = None


class Row(Record):
    """One text of the data. `revised` is a person's revision; None where there is none.

    `evidence` (empty: there is none) or `corpus` is what is searched; None for both: what the settings name.
    """

    id: str
    text: str
    context: str | None = None
    evidence: tuple[GivenEvidence, ...] | None = None
    corpus: Path | None = None
    revised: str | None = None


class Data(NamedTuple):
    """What a file holds. `digest` is of all its bytes, unpacked."""

    rows: list[Row]
    unreadable: list[Unreadable]
    digest: str


class _WrongError(Exception):
    """A line that is no row. Its message is the reason, and becomes an `Unreadable`."""


def read_rows(path: Path) -> Data:
    """The rows of a file of JSON lines, packed where its name ends in `.gz`.

    A row is an object with "text" and, as it likes, "id" (else the line's number), "context", "evidence" (a
    list of objects with "text" and, as they like, "title", "url" or "source", "published_at"), "corpus" (a
    path, from the file's folder) and "revised". null stands for what is not there; other keys are not read.
    Raises `InputError` where the file, or no line of it, can be read.
    """
    rows: dict[str, Row] = {}
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
    return Data(list(rows.values()), unreadable, digest.hexdigest())


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with cast(IO[bytes], gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({said}): give the path of a file of JSON lines") from None


def _row(line: bytes, number: int, folder: Path) -> Row:
    value = _object(line, first=number == 1)
    text = _string(value, "text", "it")
    if text is None:
        raise _WrongError('it has no "text"')
    revised = _string(value, "revised", "it")
    if revised == "":
        raise _WrongError('its "revised" is empty: leave it out where nobody revised the text')
    evidence, corpus = _evidence(value.get("evidence")), _corpus(value, folder)
    if evidence is not None and corpus is not None:
        raise _WrongError('it has both "evidence" and "corpus": keep one')
    return Row(
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
        raise _WrongError("it is JSON, but no object in braces")
    return value


def _id(value: dict[str, Any], number: int) -> str:
    given = value.get("id")
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return _string(value, "id", "it", filled=True) or str(number)


def _string(value: dict[str, Any], name: str, what: str, *, filled: bool = False) -> str | None:
    """The string under `name`, None where there is none. `filled`: it may not be empty; a text never may."""
    given = value.get(name)
    if given is None:
        return None
    if not isinstance(given, str):
        raise _WrongError(f'{what} has a "{name}" that is no string')
    if (filled or name == "text") and not given.strip():
        raise _WrongError(f'{what} has an empty "{name}"')
    return given


def _evidence(given: object) -> tuple[GivenEvidence, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list):
        raise _WrongError('its "evidence" is no list')
    return tuple(_piece(one, f"evidence {number}") for number, one in enumerate(given, start=1))


def _piece(given: object, what: str) -> GivenEvidence:
    if not isinstance(given, dict):
        raise _WrongError(f'{what} is no object with a "text"')
    text = _string(given, "text", what)
    if text is None:
        raise _WrongError(f'{what} has no "text"')
    return GivenEvidence(
        text=text,
        title=_string(given, "title", what) or "",
        source=_string(given, "url", what) or _string(given, "source", what) or "",
        published_at=_published_at(given, what),
    )


def _published_at(given: dict[str, Any], what: str) -> datetime | None:
    said = _string(given, "published_at", what)
    found = parse_time(said)
    if said and found is None:
        raise _WrongError(f'{what} has a "published_at" that is no date such as 2020-01-31')
    return found


def _corpus(value: dict[str, Any], folder: Path) -> Path | None:
    given = _string(value, "corpus", "it", filled=True)
    if given is None:
        return None
    path = folder / given
    try:
        there = path.exists()
    except OSError:  # a name that is too long, a folder that may not be looked into
        there = False
    if not there:
        raise _WrongError(f'its "corpus" {given!r} is not there')
    return path
