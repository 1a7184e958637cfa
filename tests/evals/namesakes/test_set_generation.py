"""Sets of queries from a list of entities."""

from pathlib import Path

import pytest

from evals.namesakes.makers import PAGES, entities, entity
from rarr.errors import InputError
from rarr.evals.namesakes.query_wording import worded
from rarr.evals.namesakes.records import NameQuery, NameSet, read_entities, read_sets, write_sets
from rarr.evals.namesakes.set_generation import name_sets


def queries(sets: list[NameSet], task: str, **known: object) -> list[NameQuery]:
    return [
        query
        for each in sets
        for query in each.queries
        if query.task == task and all(getattr(query, name) == value for name, value in known.items())
    ]


def test_names_of_several_entities_make_sets_with_the_most_popular_as_head() -> None:
    ostrel, veldra = name_sets(entities(), PAGES)
    assert (ostrel.name, veldra.name) == ("Ostrel", "Veldra")
    assert [(member.entity_id, member.is_head) for member in veldra.members] == [
        ("veldra", True),
        ("veldra-film", False),
    ]


def test_question_slot_and_claims_of_a_property() -> None:
    sets = name_sets(entities(), PAGES)
    (question,) = queries(sets, "qa", entity_id="veldra-film")
    assert question.text in ("Who directed Veldra?", "Who is the director of Veldra?")
    assert (question.answers, question.gold) == (("Ana Holm", "A. Holm"), ("veldra-film",))
    (slot,) = queries(sets, "sf", entity_id="veldra-film")
    assert slot.text == "Veldra [SEP] director"
    true, false = queries(sets, "fc", entity_id="veldra-film")
    assert (true.text, true.is_true) == ("Veldra was directed by Ana Holm.", True)
    assert (false.text, false.is_true) == ("Veldra was directed by Piet Ruger.", False)
    assert false.text_with_kind == "The film Veldra was directed by Piet Ruger."


def test_property_of_two_members_makes_no_query() -> None:
    both = [*entities(), entity("veldra-play", "Veldra", 50, "play", director="Ole Munt", author="Ida Lunde")]
    pages = PAGES | {"veldra-play": "Veldra is a play by Ida Lunde, directed by Ole Munt."}
    made = queries(name_sets(both, pages), "qa")
    assert {query.property for query in made if "Veldra" in query.text} == {"author", "founded", "population"}


def test_value_that_no_document_states_makes_no_query() -> None:
    pages = PAGES | {"ostrel": "Ostrel is a film.", "veldra": "Veldra was founded long ago by 18,400 people."}
    (veldra,) = name_sets(entities(), pages)
    assert {query.property for query in veldra.queries} == {"population", "director"}


def test_value_after_the_opening_makes_no_query() -> None:
    pages = PAGES | {"ostrel": "word " * 350 + PAGES["ostrel"]}
    assert [each.name for each in name_sets(entities(), pages)] == ["Veldra"]


def test_set_without_a_clear_head_is_left_out() -> None:
    near = [
        each.model_copy(update={"popularity": 220}) if each.id == "veldra" else each for each in entities()
    ]
    assert [each.name for each in name_sets(near, PAGES)] == ["Ostrel"]


def test_alias_is_a_name_too() -> None:
    osk = entity("osk", "Osk", 10, "river", length="90 kilometres").model_copy(
        update={"aliases": ("veldra",)}
    )
    (veldra,) = [each for each in name_sets([*entities()[:4], osk], PAGES) if each.name == "Veldra"]
    assert "osk" in {member.entity_id for member in veldra.members}


def test_false_claim_has_no_value_of_a_member() -> None:
    members = [*entities(), entity("veldra-ship", "Veldra", 5, "ship", captain="Piet Ruger")]
    assert not queries(name_sets(members, PAGES), "fc", entity_id="veldra-film", is_true=False)


def test_values_of_other_entities_may_stand_in_false_claims() -> None:
    other = [entity("merle", "Merle", 1, "town", founded="1405")]
    (false,) = queries(
        name_sets(entities(), PAGES, others=other), "fc", property="founded", is_true=False
    )  # fmt: skip
    assert false.value == "1405"


def test_same_seed_makes_the_same_file_in_any_order(tmp_path: Path) -> None:
    write_sets(tmp_path / "a.jsonl", name_sets(entities(), PAGES, seed=3))
    write_sets(tmp_path / "b.jsonl", name_sets(entities()[::-1], PAGES, seed=3))
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert read_sets(tmp_path / "a.jsonl") == name_sets(entities(), PAGES, seed=3)


def test_only_the_tasks_that_are_asked_for() -> None:
    sets = name_sets(entities(), PAGES, tasks={"sf"})
    assert {query.task for each in sets for query in each.queries} == {"sf"}


def test_property_without_templates_has_general_ones() -> None:
    extra = [*entities(), entity("ostrel-ship", "Ostrel", 20, "ship", tonnage="212")]
    sets = name_sets(extra, PAGES | {"ostrel-ship": "A ship of 212 tons."})
    assert [query.text for query in queries(sets, "qa", property="tonnage")] == [
        "What is the tonnage of Ostrel?"
    ]


def test_unknown_variable_of_a_template_is_named() -> None:
    with pytest.raises(InputError, match="place"):
        worded("Who built $place?", "builder", "Ostrel")


def test_wrong_line_of_entities_is_named(tmp_path: Path) -> None:
    file = tmp_path / "entities.jsonl"
    file.write_text('{"id": "a", "name": "A", "popularity": -1, "documents": ["a.md"]}\n', encoding="utf-8")
    with pytest.raises(InputError, match="popularity"):
        read_entities(file)
