"""Triples from Turtle and N-Triples, by their labels; a mistake has its line."""

import sys
from pathlib import Path

import pytest

from rarr.errors import InputError, SetupError
from rarr.retrievers.graph.triple_files import read_triples
from rarr.retrievers.graph.triples import Triple

TURTLE = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:ida rdfs:label "Ida Lunde"@en, "Ida aus Aarle"@de ; skos:altLabel "I. Lunde" ;
  ex:birthPlace ex:Old_Aarle ; ex:born "1901-03-02"^^<http://www.w3.org/2001/XMLSchema#date> ;
  ex:motto "Weiter"@de ; a ex:Geologist ; ex:knows [ ex:age 4 ] .
"""


def read(folder: Path, name: str, text: str) -> list[Triple]:
    (folder / name).write_text(text, encoding="utf-8")
    return list(read_triples(folder / name))


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
