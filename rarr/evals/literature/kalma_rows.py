"""Reads the questions of BioKaLMA with their graphs, and joins these graphs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rarr.errors import InputError
from rarr.evals.literature.benchmark_judging import digest
from rarr.retrievers.graph.triples import Triple

ROWS = Path("dev/kg/biokalma.jsonl")
"""The place of the questions in the data folder."""
_OWN_KEYS = ("name", "qid")


class KalmaRow(NamedTuple):
    """A question and its graph: the triples around each entity that it names."""

    id: str
    question: str
    triples: tuple[Triple, ...]


def kalma_rows(data: Path) -> list[KalmaRow]:
    """Reads the questions that have a graph, in a random order that is always the same.

    Raises `InputError` if the file is missing, or a line of it is not as expected.
    """
    file = data / ROWS
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(
            f"{file} cannot be read ({error.strerror}): give the folder of the data sets"
        ) from None
    rows = [row for number, line in enumerate(lines, start=1) for row in _row(line, f"{file}, line {number}")]
    if not rows:
        raise InputError(f"{file} has no question with a graph: give the folder of the data sets")
    return sorted(rows, key=lambda row: digest(row.id))


def _row(line: str, place: str) -> Iterator[KalmaRow]:
    try:
        fields = json.loads(line)
        triples = tuple(each for entity in fields["graph"] for each in _triples(entity))
        if triples:
            yield KalmaRow(str(fields["id"]), str(fields["question_specific"]), triples)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{place} is no row of BioKaLMA ({type(error).__name__}: {error})") from None


def _triples(entity: Mapping[str, Any]) -> Iterator[Triple]:
    for relation, value in entity.items():
        if relation not in _OWN_KEYS and value:
            yield Triple(entity["qid"], entity["name"], relation.replace("_", " "), str(value), str(value))


def all_triples(rows: Sequence[KalmaRow]) -> list[Triple]:
    """Joins the graphs of all rows to one, in which a value that is the name of one entity is that entity."""
    triples = list(dict.fromkeys(triple for row in rows for triple in row.triples))
    ids: dict[str, set[str]] = {}
    for triple in triples:
        ids.setdefault(triple.subject, set()).add(triple.subject_id)
    return [
        triple._replace(object_id=next(iter(ids[triple.object])))
        if len(ids.get(triple.object, ())) == 1
        else triple
        for triple in triples
    ]
