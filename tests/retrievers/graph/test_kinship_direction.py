"""A statement must not make a child of the graph the parent, or a parent the child."""

import pytest

from rarr.retrievers.graph.kinship_direction import is_reversed_kinship
from rarr.retrievers.graph.triples import Triple

MOTHER = Triple("i", "Irène Joliot-Curie", "mother", "m", "Marie Curie")
CHILD = Triple("m", "Marie Curie", "child", "i", "Irène Joliot-Curie")


@pytest.mark.parametrize("triple", [MOTHER, CHILD])
@pytest.mark.parametrize(
    "statement",
    [
        "The mother of Marie Curie was Irène Joliot-Curie.",
        "Marie Curie's mother was Irène Joliot-Curie.",
        "Marie Curie was the daughter of Irène Joliot-Curie.",
        "Irène Joliot-Curie’s child was Marie Curie.",
    ],
)
def test_reversed_kinship_is_found(statement: str, triple: Triple) -> None:
    assert is_reversed_kinship(statement, triple)


@pytest.mark.parametrize("triple", [MOTHER, CHILD])
@pytest.mark.parametrize(
    "statement",
    [
        "The mother of Irène Joliot-Curie was Marie Curie.",
        "Irène Joliot-Curie's mother was Marie Curie.",
        "Irène Joliot-Curie was the daughter of Marie Curie.",
        "A child of Marie Curie was Irène Joliot-Curie.",
        "Irène Joliot-Curie was a chemist.",
    ],
)
def test_right_kinship_is_not_reversed(statement: str, triple: Triple) -> None:
    assert not is_reversed_kinship(statement, triple)


def test_other_relations_have_no_parents() -> None:
    spouse = Triple("m", "Marie Curie", "spouse", "p", "Pierre Curie")
    assert not is_reversed_kinship("The mother of Marie Curie was Pierre Curie.", spouse)
