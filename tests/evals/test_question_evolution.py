"""Questions that are evolved over a graph: their minimum knowledge, their words, and their order."""

from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.evals.question_evolution import ROUNDS, evolved_questions
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import Triple

PEOPLE = Graph.open(Path("examples/graph/people.csv")).entities.store


def fact(subject: str, relation: str, value: str) -> Triple:
    return Triple(subject, subject, relation, value, value)


FAMILY = TripleStore(
    [
        fact("Ida", "spouse", "Ole"),
        fact("Ida", "place of birth", "Aarle"),
        fact("Ida", "given name", "Ida"),
        fact("Ida", "award received", "Oar"),
        fact("Ida", "award received", "Sail"),
        fact("Ole", "spouse", "Ida"),
        fact("Ole", "place of birth", "Tolk"),
    ]
)


def test_question_over_two_entities_begins_with_the_triple_that_joins_them() -> None:
    [question] = evolved_questions(FAMILY, 5)
    assert set(question.entities) == {"Ida", "Ole"}
    assert question.minimum[0].relation == "spouse"
    assert {each.relation for each in question.minimum} == {"spouse", "place of birth"}


def test_relations_with_several_values_and_dull_ones_are_not_asked() -> None:
    relations = {each.relation for question in evolved_questions(FAMILY, 5) for each in question.minimum}
    assert not relations & {"award received", "given name"}


def test_paragraph_says_each_triple_and_the_question_names_each_relation() -> None:
    for question in evolved_questions(PEOPLE, 20):
        assert len({(each.subject_id, each.relation) for each in question.minimum}) == len(question.minimum)
        assert 3 <= len(question.minimum) <= ROUNDS
        assert question.paragraph.count(". ") + 1 == len(question.minimum)
        assert all(each.relation in question.specific for each in question.minimum)
        assert all(each.subject in question.general for each in question.minimum)


def test_same_seed_makes_the_same_questions_and_another_seed_others() -> None:
    assert evolved_questions(PEOPLE, 5, seed=3) == evolved_questions(PEOPLE, 5, seed=3)
    assert evolved_questions(PEOPLE, 5, seed=3) != evolved_questions(PEOPLE, 5, seed=4)


def test_no_entity_is_asked_about_twice() -> None:
    entities = [id_ for question in evolved_questions(PEOPLE, 50) for id_ in question.entities]
    assert len(entities) == len(set(entities))


def test_graph_without_enough_relations_is_refused() -> None:
    with pytest.raises(InputError, match="no entity of the graph has three relations"):
        evolved_questions(TripleStore([fact("Ida", "spouse", "Ole")]), 5)
