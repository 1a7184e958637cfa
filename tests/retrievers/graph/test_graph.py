"""A graph: triples by subject, object and name; names in a text; sentences; and passages."""

from pathlib import Path
from typing import Any

import pytest
from tools.asking import metered_run

from rarr import Graph
from rarr.errors import InputError
from rarr.retrievers.graph.triples import Triple, fact_text, value_forms

PERSON = Triple("p1", "Ida Lunde", "place of birth", "c1", "Aarle")
OLE = Triple("p2", "Ole Lunde", "place of birth", "c1", "Aarle")
AARLE = Triple("c1", "Aarle", "mayor", "p1", "Ida Lunde")


def incoming_triples(graph: Graph, entity: str) -> list[Triple]:
    return [triple for triple, _ in graph.triples_pointing_at(entity)]


def test_triples_are_found_by_subject_and_by_a_value_that_is_or_names_one_subject() -> None:
    graph = Graph([PERSON, OLE, AARLE, PERSON])
    assert (graph.triples_of("p1"), incoming_triples(graph, "c1")) == ([PERSON], [PERSON, OLE])
    child = Triple("p3", "Per Lunde", "mother", "Ida Lunde", "Ida Lunde")
    graph = Graph([PERSON, child])
    assert (graph.by_name["ida lunde"], incoming_triples(graph, "p1")) == (("p1",), [child])
    two = Graph([PERSON, child, Triple("p9", "Ida Lunde", "place of birth", "c2", "Tolk")])
    assert (two.by_name["ida lunde"], incoming_triples(two, "p1")) == (("p1", "p9"), [])


def fact(id_: str, name: str, relation: str, value: str) -> Triple:
    return Triple(id_, name, relation, value, value)


STRAKES = {
    "occupation": ("botanist", "shipbuilder"),
    "place of birth": ("Aarle", "Port Halden"),
    "date of birth": ("1902-09-21", "1899-01-02"),
    "country": ("Norway", "Norway"),
}
NAMESAKES = [fact(id_, "Jonah Strake", it, STRAKES[it][at]) for at, id_ in enumerate("bs") for it in STRAKES]
OTHERS = [fact("m", "May", "occupation", "singer"), fact("w", "widget", "price", "3 euros")]
STORE = Graph([*NAMESAKES, *OTHERS])


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Jonah Strake was born on 21 September 1902.", [("b",)]),
        ("The botanist Jonah Strake was born in Port Halden.", [("b",)]),
        ("Norway knows Jonah Strake.", [("b", "s")]),
        ("It may rain.", []),  # a common word is a name only where it is written as one
        ("Then May sang.", [("m",)]),
        ("How much is a widget?", [("w",)]),
        ("The botanist Jonah Strake met Jonah Strake, the shipbuilder.", [("b",), ("s",)]),
    ],
)
def test_name_means_the_entity_of_which_the_text_names_most(text: str, entities: list[Any]) -> None:
    mentions = STORE.mentions_in(text)
    # Values such as Aarle are entities as well.
    assert [it.entities for it in mentions if STORE.triples_of(it.entities[0])] == entities


def test_relation_becomes_a_sentence() -> None:
    sentences = {
        "Ida was born on 2 March 1901.": ("date_of_birth", "1901-03-02"),
        "Ida was a geologist and engineer.": ("occupation", "geologist", "engineer"),
        "Ida is an otter.": ("instance of", "otter"),
        "Ida participated in the race.": ("participated in", "the race"),
        "Ida was elected by the crew.": ("elected by", "the crew"),
        "Ida is an author of Stones.": ("author of", "Stones"),
        "The max speed of Ida is 9 knots.": ("http://example.org/ns#maxSpeed", "9 knots"),
    }
    for sentence, (relation, *values) in sentences.items():
        assert fact_text("Ida", relation, values) == sentence


def test_dates_have_the_forms_of_texts() -> None:
    day = ("2 March 1901", "March 2, 1901")
    for value in ("1901-03-02", "+1901-03-02T00:00:00Z"):
        assert value_forms(value) == (*day, value, "1901")
    assert value_forms("1901-00-00") == ("1901", "1901-00-00")
    assert value_forms("1901-13-02") == ("1901-13-02",)


def graph_of(*rows: tuple[str, str, str, str], window: int = 4) -> Graph:
    return Graph([fact(*row) for row in rows], "g", window)


IDA = ("p1", "Ida Lunde", "place of birth", "Aarle")


async def test_passages_are_windows_of_the_text_about_an_entity() -> None:
    graph = graph_of(IDA, ("p1", "Ida Lunde", "height", "1.7 m"), ("p1", "Ida Lunde", "dog", "Rex"), window=2)
    passages = await graph.retrieve("What is known of Ida Lunde?", 5)
    text = await graph.extracted("g#p1")
    assert text == "Ida Lunde was born in Aarle.\nIda Lunde is 1.7 m high.\nThe dog of Ida Lunde is Rex."
    assert [passage.text for passage in passages] == [
        "Ida Lunde was born in Aarle.\nIda Lunde is 1.7 m high.",
        "Ida Lunde is 1.7 m high.\nThe dog of Ida Lunde is Rex.",
    ]
    assert all(text[passage.start : passage.end] == passage.text for passage in passages)
    assert {(passage.source, passage.title) for passage in passages} == {("g#p1", "Ida Lunde")}


async def test_entity_whose_triple_points_at_a_named_entity_is_found() -> None:
    graph = graph_of(("p2", "Ole Lunde", "child", "Ida Lunde"), IDA)
    passages = await graph.retrieve("Who was Ida Lunde's father?", 5)
    assert [each.source for each in passages] == ["g#p1", "g#p2"]


async def test_namesakes_without_a_difference_give_a_warning_and_no_passage() -> None:
    graph = graph_of(IDA, ("p2", "Ida Lunde", "place of birth", "Tolk"))
    with metered_run() as meter:
        assert await graph.retrieve("Where was Ida Lunde born?", 5) == []
        meter.text = "Ida Lunde grew up in Tolk."
        assert [each.source for each in await graph.retrieve("Where was Ida Lunde born?", 5)] == ["g#p2"]
    assert [(each.code, "(p1, p2)" in each.message) for each in meter.warnings] == [("ambiguous_name", True)]


def test_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    with pytest.raises(InputError, match="has no triple"):
        Graph.open(tmp_path / "a.csv")
