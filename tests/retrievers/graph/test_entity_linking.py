"""Names of a text in a graph: the longest first, and namesakes told apart by the text around them."""

import pytest

from rarr.retrievers.graph.entity_linking import linked_names
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import Triple


def fact(id_: str, name: str, relation: str, value: str) -> Triple:
    return Triple(id_, name, relation, value, value)


STORE = TripleStore(
    [
        fact("b", "Jonah Strake", "occupation", "botanist"),
        fact("b", "Jonah Strake", "place of birth", "Aarle"),
        fact("b", "Jonah Strake", "date of birth", "1902-09-21"),
        fact("b", "Jonah Strake", "country", "Norway"),
        fact("s", "Jonah Strake", "occupation", "shipbuilder"),
        fact("s", "Jonah Strake", "place of birth", "Port Halden"),
        fact("s", "Jonah Strake", "country", "Norway"),
        fact("i", "Ida Lunde", "knows", "Ole"),
        fact("l", "Ida Lunde Prize", "field of work", "geology"),
        fact("q", 'Dwayne "The Rock" Johnson', "occupation", "actor"),
        fact("m", "May", "occupation", "singer"),
        fact("w", "widget", "price", "3 euros"),
    ]
)


def meant(text: str, around: str = "") -> list[tuple[str, ...]]:
    """The entities with facts of their own, for each name; values such as Aarle are entities as well."""
    mentions = linked_names(STORE, text, around)
    return [tuple(map(STORE.id, each.entities)) for each in mentions if STORE.around(each.entities[0])]


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("The botanist Jonah Strake was born here.", ("b",)),
        ("Jonah Strake, the shipbuilder, was born here.", ("s",)),
        ("Jonah Strake was born on 21 September 1902.", ("b",)),
        ("Jonah Strake was born in 1902.", ("b",)),
        ("Jonah Strake came from Port Halden.", ("s",)),
        ("The botanist Jonah Strake was born in Port Halden.", ("b",)),
        ("Norway knows Jonah Strake.", ("b", "s")),
        ("Jonah Strake was born.", ("b", "s")),
    ],
)
def test_namesakes_are_told_apart_or_both_kept(text: str, entities: tuple[str, ...]) -> None:
    assert meant(text) == [entities]


def test_text_of_the_run_decides_where_the_query_does_not() -> None:
    assert meant("Where was Jonah Strake born?", "He grew up in Port Halden.") == [("s",)]


def test_common_word_is_no_name_unless_written_as_one() -> None:
    assert meant("It may rain.") == []
    assert meant("Then May sang.") == [("m",)]
    assert meant("How much is a widget?") == [("w",)]


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("The botanist Jonah Strake came. Strake was tall.", [("b",), ("b",)]),
        ("The botanist Jonah Strake came. Dr. Strake was tall.", [("b",), ("b",)]),
        ("Strake was tall. Then the botanist Jonah Strake came.", [("b",), ("b",)]),
        ("The botanist Jonah Strake met Per Strake. Strake was tall.", [("b",)]),
        ("The botanist Jonah Strake came. The Strake Museum opened.", [("b",)]),
        ("The botanist Jonah Strake met Jonah Strake, the shipbuilder. Strake was tall.", [("b",), ("s",)]),
        ("Ida Lunde came. Lunde was tall.", [("i",)]),
    ],
)
def test_surname_means_the_one_person_named_in_full(text: str, entities: list[tuple[str, ...]]) -> None:
    assert meant(text) == entities


def test_surname_of_a_query_means_the_person_whom_the_text_names() -> None:
    assert meant("Where was Strake born?", "The shipbuilder Jonah Strake came.") == [("s",)]
    assert meant("Where was Strake born?", "Jonah Strake came.") == []
