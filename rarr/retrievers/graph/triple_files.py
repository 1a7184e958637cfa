"""Reads the triples of a file: CSV, JSON lines, or RDF by pyoxigraph (extra `graph`)."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rarr.errors import InputError, SetupError
from rarr.retrievers.graph.triples import Triple
from rarr.tools.text.wording import shown
from rarr.valid_unicode import valid

_PARTS = ("subject", "relation", "object")
_IDS = ("subject_id", "object_id")
_CURE = "give subject, relation and object, or a name and a column for each relation"

_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LABELS = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://xmlns.com/foaf/0.1/name",
    "http://schema.org/name",
    "https://schema.org/name",
)
_ALT_LABELS = (
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://xmlns.com/foaf/0.1/nick",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
)

Row = Mapping[str, Any]


def read_triples(file: Path) -> Iterator[Triple]:
    """Yields the triples of a file, by the end of its name: .csv, .tsv, .jsonl, .ttl or .nt.

    A row of CSV or JSON lines is a triple (subject, relation, object, and optionally subject_id and
    object_id), or an entity: name, optionally id, and a value for each other column. RDF is read by the
    English labels of its parts. Raises `InputError` with one line that names the file and the line, and
    `SetupError` for RDF without pyoxigraph.
    """
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise InputError(
            f"{shown(str(file))} is no graph: give a file in {', '.join(sorted(_READERS))}"
            " (export the triples of a SPARQL endpoint to Turtle)"
        )
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


def _of_rows(rows: Callable[[Path], Iterator[tuple[int, Row]]]) -> Callable[[Path], Iterator[Triple]]:
    def triples(file: Path) -> Iterator[Triple]:
        for number, row in rows(file):
            try:
                yield from _triples(row)
            except ValueError as problem:
                raise _wrong(file, number, problem) from None

    return triples


def _wrong(file: Path, line: int, problem: object) -> InputError:
    return InputError(f"{shown(str(file))}, line {line}: {problem}")


def _triples(row: Row) -> Iterator[Triple]:
    if row.keys() >= set(_PARTS):
        yield _triple(row)
    elif "name" in row and row.keys().isdisjoint(_PARTS):
        yield from _triples_of_entity(row)
    else:
        missing = next(part for part in _PARTS if part not in row)
        raise ValueError(f"it has no {missing}: {_CURE}")


def _triple(row: Row) -> Triple:
    if unknown := row.keys() - {*_PARTS, *_IDS}:
        raise ValueError(f"it has an unknown key {shown(str(min(unknown)))!r}: {_CURE}")
    texts = {part: _text(row.get(part), part) for part in (*_PARTS, *_IDS)}
    if empty := next((part for part in _PARTS if not texts[part]), ""):
        raise ValueError(f"its {empty} is empty: {_CURE}")
    subject, value = texts["subject"], texts["object"]
    return Triple(
        texts["subject_id"] or subject, subject, texts["relation"], texts["object_id"] or value, value
    )


def _triples_of_entity(row: Row) -> Iterator[Triple]:
    name, id_ = _text(row["name"], "name"), _text(row.get("id"), "id")
    if not name:
        raise ValueError(f"its name is empty: {_CURE}")
    for relation, values in row.items():
        for each in values if isinstance(values, list) else [values]:
            if relation not in ("name", "id") and (value := _text(each, relation)):
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


def _csv_rows(file: Path) -> Iterator[tuple[int, Row]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        head = lines.readline()
        lines.seek(0)
        delimiter = max("\t;,", key=head.count)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if len(set(header)) < len(header):
                raise _wrong(file, 1, f"two columns have one name: {_CURE}")
            for row in filter(lambda row: any(map(str.strip, row)), reader):
                if len(row) != len(header):
                    cells = f"it has {len(row)} cells under {len(header)} columns"
                    raise _wrong(file, reader.line_num, f"{cells}: quote a cell with {delimiter!r} in it")
                yield reader.line_num, dict(zip(header, row, strict=True))
        except csv.Error as error:
            cure = "write a quote within a quoted cell twice"
            raise _wrong(file, reader.line_num, f"{error}: {cure}") from None


def _json_rows(file: Path) -> Iterator[tuple[int, Row]]:
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line) if line.strip() else {}
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise _wrong(file, number, f"it is no JSON object: {_CURE}")
            if line.strip():
                yield number, row


def _rdf_triples(file: Path) -> Iterator[Triple]:
    """Yields the triples of the file, which is read twice: labels may come after the statements."""
    labels = dict[str, str]()
    for quad in _quads(file):
        if quad.predicate.value in _LABELS and getattr(quad.object, "language", None) in (None, "en"):
            labels.setdefault(_rdf_id(quad.subject), valid(quad.object.value))
    for quad in _quads(file):
        subject_id, predicate = _rdf_id(quad.subject), quad.predicate.value
        subject = labels.get(subject_id) or _local_name(subject_id)
        if predicate in _LABELS or not subject or not _is_readable(quad.object):
            continue
        if predicate in _ALT_LABELS:
            alias = valid(quad.object.value)
            yield Triple(subject_id, subject, "alias", alias, alias)
            continue
        relation = "instance of" if predicate == _RDF_TYPE else labels.get(predicate, _local_name(predicate))
        object_id = valid(_rdf_id(quad.object))
        value = labels.get(object_id) or _local_name(object_id)
        if hasattr(quad.object, "datatype"):
            value = object_id = " ".join(object_id.split())
        if value:
            yield Triple(subject_id, subject, relation, object_id, value)


def _local_name(id_: str) -> str:
    """Returns the last part of an IRI, such as Ada Lovelace of .../Ada_Lovelace; "" for a blank node."""
    if id_.startswith("_:"):
        return ""
    last = id_.rstrip("/#").replace("#", "/").rpartition("/")[2]
    return last.replace("_", " ") or id_


def _rdf_id(term: Any) -> str:
    """Returns the IRI, the text of a literal, or the name of a blank node with its mark `_:`."""
    text = str(term.value)
    return text if hasattr(term, "datatype") or ":" in text else f"_:{text}"


def _is_readable(term: Any) -> bool:
    """Is it no text, or a text in English or in no named language?"""
    return not hasattr(term, "datatype") or (term.language or "en").partition("-")[0] == "en"


def _quads(file: Path) -> Iterator[Any]:
    """Yields the quads of the file but those about triples (RDF-star)."""
    try:
        import pyoxigraph
    except ImportError:
        raise SetupError(
            f"graph {shown(str(file))} is RDF, which needs pyoxigraph: pip install 'rarr[graph]'"
        ) from None
    form = pyoxigraph.RdfFormat.from_extension(file.suffix.lower().lstrip("."))
    with file.open("rb") as stream:
        try:
            for quad in pyoxigraph.parse(stream, form, base_iri="file:///"):
                if not isinstance(quad.object, pyoxigraph.Triple):
                    yield quad
        except SyntaxError as error:
            line = f", line {error.lineno}" if error.lineno else ""
            why = " ".join(str(error.msg).split())
            raise InputError(f"{shown(str(file))}{line}: {why}: correct the file") from None


_READERS: dict[str, Callable[[Path], Iterator[Triple]]] = {
    ".csv": _of_rows(_csv_rows),
    ".tsv": _of_rows(_csv_rows),
    ".jsonl": _of_rows(_json_rows),
    ".nt": _rdf_triples,
    ".ttl": _rdf_triples,
}
