"""A graph as a source: windows of the text about an entity, and warnings where a name is not clear."""

from pathlib import Path

import pytest

from rarr import Graph, revise
from rarr.errors import InputError
from rarr.retrievers.graph.triples import Triple
from rarr.tools.models.run_budget import METER, Meter

PEOPLE = Path("examples/graph/people.csv")


def graph_of(*rows: tuple[str, str, str, str], window: int = 4) -> Graph:
    return Graph(
        [Triple(id_, name, relation, value, value) for id_, name, relation, value in rows], "g", window
    )


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
    assert [each.source for each in await graph.retrieve("Who was Ida Lunde's father?", 5)] == [
        "g#p1",
        "g#p2",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("false", ["Her mother was Ida Vik.", "She died in Tolk."])
def test_triple_of_another_relation_contradicts_nothing(false: str) -> None:
    facts = (
        ("p1", "Marie Lunde", "daughter", "Ida Brandt"),
        ("p1", "Marie Lunde", "place of birth", "Aarle"),
    )
    revision = revise(f"Marie Lunde was born in Aarle. {false}", search=graph_of(*facts), offline=True)
    assert [each.status == "contradicted" for each in revision.report.sentences] == [False, False]
    assert not revision.changed


async def test_value_finds_the_entities_that_have_it() -> None:
    graph = graph_of(IDA, ("p2", "Ole Moe", "place of birth", "Aarle"))
    assert {each.title for each in await graph.retrieve("Who was born in Aarle?", 5)} == {
        "Ida Lunde",
        "Ole Moe",
    }
    assert len(await graph.retrieve("Who was born in Aarle?", 1)) == 1


async def test_namesakes_without_a_difference_give_a_warning_and_no_passage() -> None:
    graph = graph_of(IDA, ("p2", "Ida Lunde", "place of birth", "Tolk"))
    meter = Meter()
    token = METER.set(meter)
    assert await graph.retrieve("Where was Ida Lunde born?", 5) == []
    meter.text = "Ida Lunde grew up in Tolk."
    assert [each.source for each in await graph.retrieve("Where was Ida Lunde born?", 5)] == ["g#p2"]
    METER.reset(token)
    assert [(each.code, "(p1, p2)" in each.message) for each in meter.warnings] == [("ambiguous_name", True)]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.nt"])
def test_empty_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="has no triple"):
        Graph.open(tmp_path / name)
