"""Triples from CSV, JSON lines and RDF, and the line number of every mistake."""

import json
import sys
from pathlib import Path

import pytest

from rarr.errors import InputError, SetupError
from rarr.retrievers.graph.triples import Triple, read_triples

LUNDE = Triple("p1", "Ida Lunde", "place of birth", "c1", "Aarle")


def read(folder: Path, name: str, text: str) -> list[Triple]:
    if text:
        (folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    return list(read_triples(folder / name))


BORN = "subject;relation;object;subject_id;object_id\nIda Lunde;place of birth;Aarle;p1;c1\n"
DAM = '{"id": "d1", "name": "Hoover Dam", "height": ["221 metres", ""], "opened": null}'
HEIGHT = Triple("d1", "Hoover Dam", "height", "221 metres", "221 metres")


@pytest.mark.parametrize(
    ("name", "text", "triple"),
    [
        ("a.csv", BORN, LUNDE),
        ("a.tsv", "subject_id\tsubject\trelation\tobject_id\tobject\n" + "\t".join(LUNDE), LUNDE),
        ("a.jsonl", f"{json.dumps(dict(zip(Triple._fields, LUNDE, strict=True)))}\n\n", LUNDE),
        ("a.csv", "id,name,height,opened\nd1,Hoover Dam,221 metres,\n", HEIGHT),
        ("a.jsonl", DAM, HEIGHT),
    ],
)
def test_rows_are_triples_or_entities(name: str, text: str, triple: Triple, tmp_path: Path) -> None:
    assert read(tmp_path, name, text) == [triple]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.csv", "subject,relation,object\nIda,born\n", ", line 2 .*: .*$"),
        ("a.csv", "subject,relation,object\nIda,,Aarle\n", ", line 2 .*: .*$"),
        ("a.jsonl", '{"name": "Ida"}\n{"name"\n', ", line 2 .*: .*$"),
        ("a.jsonl", '{"name": "Ida", "home": {"city": 1}}\n', ", line 1 .*: .*$"),
        ("a.ttl", "@prefix ex: <http://e.org/> .\nex:a ex:b ex:c .\nex:a ex:b\n", ", line 4.*: .*$"),
        ("a.xml", "Ida", r" is no graph: give .* \.ttl, \.nt \(export .* to Turtle"),
        ("a.csv", "subject,relation,object\nId\udce9,born,Aarle\n", " is not UTF-8"),
        ("none/a.csv", "", r" cannot be read \(No such file or directory\)"),
    ],
)
def test_mistake_is_one_line_with_its_place_and_cure(name: str, text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^.*{name}{why}"):
        read(tmp_path, name, text)


TURTLE = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:ida rdfs:label "Ida Lunde"@en, "Ida aus Aarle"@de ; skos:altLabel "I. Lunde" ;
  ex:birthPlace ex:Old_Aarle ; ex:born "1901-03-02"^^<http://www.w3.org/2001/XMLSchema#date> ;
  ex:motto "Weiter"@de, " " ; a ex:Geologist ; ex:knows [ ex:age 4 ] .
"""


def test_turtle_is_read_by_its_english_labels(tmp_path: Path) -> None:
    ida = ("http://example.org/ida", "Ida Lunde")
    assert set(read(tmp_path, "a.ttl", TURTLE)) == {
        Triple(*ida, "label", "Ida Lunde", "Ida Lunde"),
        Triple(*ida, "altLabel", "I. Lunde", "I. Lunde"),
        Triple(*ida, "birthPlace", "http://example.org/Old_Aarle", "Old Aarle"),
        Triple(*ida, "born", "1901-03-02", "1901-03-02"),
        Triple(*ida, "type", "http://example.org/Geologist", "Geologist"),
    }


def test_rdf_without_package_names_the_install_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with pytest.raises(SetupError, match=r'pip install "rarr\[graph\]"'):
        read(tmp_path, "a.ttl", TURTLE)
