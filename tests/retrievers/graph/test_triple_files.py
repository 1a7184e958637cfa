"""Triples from CSV and JSON lines: their forms, and the line of every mistake."""

from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.retrievers.graph.triple_files import read_triples
from rarr.retrievers.graph.triples import Triple

LUNDE = Triple("p1", "Ida Lunde", "place of birth", "c1", "Aarle")


def graph_file(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "subject_id,subject,relation,object_id,object\np1,Ida Lunde,place of birth,c1,Aarle\n"),
        ("a.csv", "subject;subject_id;relation;object;object_id\nIda Lunde;p1;place of birth;Aarle;c1\n\n"),
        (
            "a.tsv",
            "subject_id\tsubject\trelation\tobject_id\tobject\np1\tIda Lunde\tplace of birth\tc1\tAarle",
        ),
        (
            "a.jsonl",
            '{"subject_id": "p1", "subject": "Ida Lunde", "relation": "place of birth", "object_id": "c1",'
            ' "object": "Aarle"}\n\n',
        ),
    ],
)
def test_rows_with_ids_are_triples(name: str, text: str, tmp_path: Path) -> None:
    assert list(read_triples(graph_file(tmp_path, name, text))) == [LUNDE]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id,name,height,opened\nd1,Hoover Dam,221 metres,\n"),
        ("a.jsonl", '{"id": "d1", "name": "Hoover Dam", "height": "221 metres", "opened": null}\n'),
        ("a.jsonl", '{"id": "d1", "name": "Hoover Dam", "height": ["221 metres", ""]}\n'),
    ],
)
def test_rows_of_entities_have_a_triple_for_each_filled_column(name: str, text: str, tmp_path: Path) -> None:
    triples = list(read_triples(graph_file(tmp_path, name, text)))
    assert triples == [Triple("d1", "Hoover Dam", "height", "221 metres", "221 metres")]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.csv", "subject,relation,object\nIda,born\n", r"a\.csv, line 2: it has 2 cells under 3 columns"),
        ("a.csv", 'subject,relation,object\n"Ida,born,Aarle\n', r"a\.csv, line 2: unexpected end of data"),
        ("a.csv", "subject,relation,object\nIda,,Aarle\n", r"a\.csv, line 2: its relation is empty"),
        ("a.csv", "subject,relation\nIda,born\n", r"a\.csv, line 2: it has no object"),
        ("a.csv", "who,what\nIda,born\n", r"a\.csv, line 2: it has no subject"),
        (
            "a.csv",
            "subject,relation,object,when\nIda,born,Aarle,1\n",
            r"line 2: it has an unknown key 'when'",
        ),
        ("a.csv", "name,height,height\nIda,1,2\n", r"line 1: two columns have one name"),
        ("a.jsonl", '{"name": "Ida"}\n{"name"\n', r"a\.jsonl, line 2: it is no JSON object"),
        ("a.jsonl", "[1]\n", r"a\.jsonl, line 1: it is no JSON object"),
        ("a.jsonl", '{"name": "Ida", "home": {"city": 1}}\n', r"line 1: its home is a list or an object"),
        ("a.jsonl", '{"name": " "}\n', r"line 1: its name is empty"),
        ("a.txt", "Ida", r"a\.txt is no graph: give a file in \.csv, \.jsonl, \.nt, \.tsv, \.ttl"),
    ],
)
def test_mistake_is_told_with_its_line(name: str, text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=problem):
        list(read_triples(graph_file(tmp_path, name, text)))


def test_missing_file_and_foreign_bytes_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv cannot be read \(No such file or directory\)"):
        list(read_triples(tmp_path / "none.csv"))
    (tmp_path / "a.csv").write_bytes(b"subject,relation,object\nId\xe9,born,Aarle\n")
    with pytest.raises(InputError, match="is not UTF-8"):
        list(read_triples(tmp_path / "a.csv"))
