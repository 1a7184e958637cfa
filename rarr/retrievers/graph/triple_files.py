"""Reads the triples of a file of CSV or JSON lines; those of Turtle and N-Triples by `rdf_files.py`."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rarr.errors import InputError
from rarr.retrievers.graph.triples import Triple
from rarr.tools.text.printable_text import shown
from rarr.valid_unicode import valid

_PARTS = ("subject", "relation", "object")
_NEEDED = frozenset(_PARTS)
_IDS = ("subject_id", "object_id")
_OF_ENTITY = ("name", "id")
_CURE = "give subject, relation and object, or a name and a column for each relation"

Rows = Iterator[tuple[int, Mapping[str, Any]]]


def read_triples(file: Path) -> Iterator[Triple]:
    """Yields the triples of a file, by the end of its name: .csv, .tsv, .jsonl, .ttl or .nt.

    A row of CSV or JSON lines is a triple (subject, relation, object, and optionally subject_id and
    object_id), or an entity: name, optionally id, and a value for each other column. Raises `InputError` with
    one line that names the file and the line.
    """
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise InputError(f"{shown(str(file))} is no graph: give a file in {', '.join(sorted(_READERS))}")
    try:
        yield from reader(file)
    except OSError as error:
        raise InputError(
            f"graph {shown(str(file))} cannot be read ({error.strerror}): check its path"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"graph {shown(str(file))} is not UTF-8 (byte at offset {error.start}): convert it"
        ) from None


def triples_of_rows(rows: Rows, place: str) -> Iterator[Triple]:
    """Yields the triples of numbered rows. Raises `InputError`, which names `place` and the row's number."""
    for number, row in rows:
        try:
            yield from _triples(row)
        except ValueError as problem:
            raise InputError(f"{shown(place)}, line {number}: {problem}") from None


def _triples(row: Mapping[str, Any]) -> Iterator[Triple]:
    if row.keys() >= _NEEDED:
        yield _triple(row)
    elif "name" in row and not row.keys() & _NEEDED:
        yield from _triples_of_entity(row)
    else:
        missing = next(part for part in _PARTS if part not in row)
        raise ValueError(f"it has no {missing}: {_CURE}")


def _triple(row: Mapping[str, Any]) -> Triple:
    if unknown := row.keys() - _NEEDED - set(_IDS):
        raise ValueError(f"it has an unknown key {shown(str(min(unknown)))!r}: {_CURE}")
    subject, relation, value = (_text(row[part], part) for part in _PARTS)
    if not (subject and relation and value):
        empty = next(part for part in _PARTS if not _text(row[part], part))
        raise ValueError(f"its {empty} is empty: {_CURE}")
    subject_id, object_id = (_text(row.get(key), key) for key in _IDS)
    return Triple(subject_id or subject, subject, relation, object_id or value, value)


def _triples_of_entity(row: Mapping[str, Any]) -> Iterator[Triple]:
    name, id_ = (_text(row.get(key), key) for key in _OF_ENTITY)
    if not name:
        raise ValueError(f"its name is empty: {_CURE}")
    for relation, values in row.items():
        if relation in _OF_ENTITY:
            continue
        for each in values if isinstance(values, list) else [values]:
            if value := _text(each, relation):
                yield Triple(id_ or name, name, relation, value, value)


def _text(value: object, name: str) -> str:
    """Writes a value as valid text; "" for a missing value. Raises `ValueError` for a list or an object."""
    if value is None:
        return ""
    if isinstance(value, str):
        text = " ".join(value.split())
        return text if text.isascii() and text.isprintable() else valid(text)
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise ValueError(f"its {shown(name)} is a list or an object: give a text or a number")


def _csv_rows(file: Path) -> Rows:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        head = lines.readline()
        lines.seek(0)
        delimiter = max("\t;,", key=head.count)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if header and len(set(header)) < len(header):
                raise InputError(f"{shown(str(file))}, line 1: two columns have one name: {_CURE}")
            for row in reader:
                if any(cell.strip() for cell in row):
                    if len(row) != len(header):
                        cells = f"{len(row)} cells under {len(header)} columns"
                        raise InputError(
                            f"{shown(str(file))}, line {reader.line_num}: it has {cells}: quote a cell with"
                            f" {delimiter!r} in it"
                        )
                    yield reader.line_num, dict(zip(header, row, strict=True))
        except csv.Error as error:
            cure = "write a quote within a quoted cell twice"
            raise InputError(f"{shown(str(file))}, line {reader.line_num}: {error}: {cure}") from None


def _json_rows(file: Path) -> Rows:
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise InputError(f"{shown(str(file))}, line {number}: it is no JSON object: {_CURE}")
            yield number, row


def _of_csv(file: Path) -> Iterator[Triple]:
    return triples_of_rows(_csv_rows(file), str(file))


def _of_json_lines(file: Path) -> Iterator[Triple]:
    return triples_of_rows(_json_rows(file), str(file))


def _of_rdf(file: Path) -> Iterator[Triple]:
    from rarr.retrievers.graph.rdf_files import read_rdf

    return read_rdf(file)


_READERS: dict[str, Callable[[Path], Iterator[Triple]]] = {
    ".csv": _of_csv,
    ".tsv": _of_csv,
    ".jsonl": _of_json_lines,
    ".nt": _of_rdf,
    ".ttl": _of_rdf,
}
