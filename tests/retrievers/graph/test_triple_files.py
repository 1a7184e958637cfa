"""Triples from CSV, JSON lines and RDF: their forms, and the line of every mistake."""

import sys
from pathlib import Path

import pytest

from rarr.errors import InputError, SetupError
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


TURTLE = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:ida rdfs:label "Ida Lunde"@en, "Ida aus Aarle"@de ; skos:altLabel "I. Lunde" ;
  ex:birthPlace ex:Old_Aarle ; ex:born "1901-03-02"^^<http://www.w3.org/2001/XMLSchema#date> ;
  ex:motto "Weiter"@de ; a ex:Geologist ; ex:knows [ ex:age 4 ] .
"""


def read(folder: Path, name: str, text: str) -> list[Triple]:
    return list(read_triples(graph_file(folder, name, text)))


def test_turtle_is_read_by_its_english_labels(tmp_path: Path) -> None:
    ida = ("http://example.org/ida", "Ida Lunde")
    assert set(read(tmp_path, "a.ttl", TURTLE)) == {
        Triple(*ida, "birthPlace", "http://example.org/Old_Aarle", "Old Aarle"),
        Triple(*ida, "born", "1901-03-02", "1901-03-02"),
        Triple(*ida, "instance of", "http://example.org/Geologist", "Geologist"),
        Triple(*ida, "alias", "I. Lunde", "I. Lunde"),
    }


def test_n_triples_are_read(tmp_path: Path) -> None:
    line = '<http://example.org/Ida_Lunde> <http://example.org/height> "1.7" .\n'
    assert read(tmp_path, "a.nt", line) == [
        Triple("http://example.org/Ida_Lunde", "Ida Lunde", "height", "1.7", "1.7")
    ]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.ttl", "@prefix ex: <http://e.org/> .\nex:a ex:b ex:c .\nex:a ex:b\n", "line 4"),
        ("a.ttl", "<http://e.org/a> <http://e.org/b> no:thing .\n", "line 1"),
        ("a.nt", '<http://e.org/a> <http://e.org/b> "c" .\n<http://e.org/a> oops\n', "line 2"),
    ],
)
def test_broken_rdf_is_one_line_with_the_line(name: str, text: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, name, text)
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


def test_without_pyoxigraph_the_install_line_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(SetupError, match=r"pip install 'rarr\[graph\]'"):
        read(tmp_path, "a.ttl", TURTLE)
