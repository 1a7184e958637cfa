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
_SKOS, _SCHEMA = "http://www.w3.org/2004/02/skos/core#", ("http://schema.org/", "https://schema.org/")
_LABELS = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    f"{_SKOS}prefLabel",
    "http://xmlns.com/foaf/0.1/name",
    *(f"{schema}name" for schema in _SCHEMA),
)
_ALT_LABELS = (
    f"{_SKOS}altLabel",
    "http://xmlns.com/foaf/0.1/nick",
    *(f"{schema}alternateName" for schema in _SCHEMA),
)


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
        if reader is _rdf_triples:
            yield from _rdf_triples(file)
            return
        for number, row in reader(file):
            try:
                yield from _triples(row)
            except ValueError as problem:
                raise _wrong(file, number, problem) from None
    except OSError as error:
        raise InputError(
            f"graph {shown(str(file))} cannot be read ({error.strerror}): check its path"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"graph {shown(str(file))} is not UTF-8 (byte at offset {error.start}): convert it"
        ) from None


def _wrong(file: Path, line: int, problem: object) -> InputError:
    return InputError(f"{shown(str(file))}, line {line}: {problem}")


def _triples(row: Mapping[str, Any]) -> Iterator[Triple]:
    """Yields the triples of a row. Raises `ValueError` for a row that is neither a triple nor an entity."""
    if "name" in row and row.keys().isdisjoint(_PARTS):
        name, id_ = _text(row["name"], "name"), _text(row.get("id"), "id")
        if not name:
            raise ValueError(f"its name is empty: {_CURE}")
        for relation, values in row.items():
            for each in values if isinstance(values, list) else [values]:
                if relation not in ("name", "id") and (value := _text(each, relation)):
                    yield Triple(id_ or name, name, relation, value, value)
        return
    if missing := [part for part in _PARTS if part not in row]:
        raise ValueError(f"it has no {missing[0]}: {_CURE}")
    if unknown := row.keys() - {*_PARTS, *_IDS}:
        raise ValueError(f"it has an unknown key {shown(str(min(unknown)))!r}: {_CURE}")
    texts = {part: _text(row.get(part), part) for part in (*_PARTS, *_IDS)}
    if empty := [part for part in _PARTS if not texts[part]]:
        raise ValueError(f"its {empty[0]} is empty: {_CURE}")
    subject, value = texts["subject"], texts["object"]
    ids = (texts["subject_id"] or subject, texts["object_id"] or value)
    yield Triple(ids[0], subject, texts["relation"], ids[1], value)


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


def _csv_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
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


def _json_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
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
        object_id, is_text = valid(_rdf_id(quad.object)), hasattr(quad.object, "datatype")
        # A text is read in English, or where it names no language.
        is_foreign = is_text and (quad.object.language or "en").partition("-")[0] != "en"
        subject, value = (labels.get(id_) or _local_name(id_) for id_ in (subject_id, object_id))
        relation = labels.get(predicate, _local_name(predicate))
        if predicate == _RDF_TYPE:
            relation = "instance of"
        elif predicate in _ALT_LABELS:
            relation = "alias"
        if is_text:
            value = object_id = " ".join(object_id.split())
        if subject and value and not is_foreign and predicate not in _LABELS:
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


_READERS: dict[str, Callable[[Path], Iterator[Any]]] = {
    ".csv": _csv_rows,
    ".tsv": _csv_rows,
    ".jsonl": _json_rows,
    ".nt": _rdf_triples,
    ".ttl": _rdf_triples,
}
