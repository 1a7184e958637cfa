"""Triples from CSV and JSON lines, and the line of every mistake."""

import json
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.retrievers.graph.triples import Triple, read_triples

LUNDE = Triple("p1", "Ida Lunde", "place of birth", "c1", "Aarle")


def read(folder: Path, name: str, text: str) -> list[Triple]:
    (folder / name).write_text(text, encoding="utf-8")
    return list(read_triples(folder / name))


HEIGHT = Triple("d1", "Hoover Dam", "height", "221 metres", "221 metres")


@pytest.mark.parametrize(
    ("name", "text", "triple"),
    [
        (
            "a.csv",
            "subject;subject_id;relation;object;object_id\nIda Lunde;p1;place of birth;Aarle;c1\n\n",
            LUNDE,
        ),
        ("a.tsv", "subject_id\tsubject\trelation\tobject_id\tobject\n" + "\t".join(LUNDE), LUNDE),
        ("a.jsonl", f"{json.dumps(dict(zip(Triple._fields, LUNDE, strict=True)))}\n\n", LUNDE),
        ("a.csv", "id,name,height,opened\nd1,Hoover Dam,221 metres,\n", HEIGHT),
        (
            "a.jsonl",
            '{"id": "d1", "name": "Hoover Dam", "height": ["221 metres", ""], "opened": null}\n',
            HEIGHT,
        ),
    ],
)
def test_rows_are_triples_or_entities(name: str, text: str, triple: Triple, tmp_path: Path) -> None:
    assert read(tmp_path, name, text) == [triple]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.csv", "subject,relation,object\nIda,born\n", 2),
        ("a.csv", "subject,relation,object\nIda,,Aarle\n", 2),
        ("a.jsonl", '{"name": "Ida"}\n{"name"\n', 2),
        ("a.jsonl", '{"name": "Ida", "home": {"city": 1}}\n', 1),
    ],
)
def test_mistake_is_one_line_with_its_line(name: str, text: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"^.*{name}, line {line}.*: .*$"):
        read(tmp_path, name, text)


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv cannot be read \(No such file or directory\)"):
        list(read_triples(tmp_path / "none.csv"))
    with pytest.raises(InputError, match=r"a\.ttl is no graph: give a file in \.csv, .* \(export RDF"):
        read(tmp_path, "a.ttl", "Ida")
    (tmp_path / "a.csv").write_bytes(b"subject,relation,object\nId\xe9,born,Aarle\n")
    with pytest.raises(InputError, match="is not UTF-8"):
        list(read_triples(tmp_path / "a.csv"))
