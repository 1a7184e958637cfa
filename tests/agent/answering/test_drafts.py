"""The answer of another model is checked against a graph, however it begins.

Its numbers are those of another list of sources.
"""

from pathlib import Path

import pytest

from rarr import Answer, Graph, answer
from rarr.errors import InputError
from rarr.retrievers.graph.triples import Triple

PEOPLE = Path("examples/graph/people.csv")


def checked(draft: str, graph: Graph | None = None) -> Answer:
    given = {"graph": PEOPLE} if graph is None else {"search": graph}
    return answer("Who was Marie Curie?", draft=draft, **given)


@pytest.mark.parametrize(
    "draft",
    [
        "[NA] Marie Curie was born in Warsaw.",
        "{p1, place of birth: Warsaw} Marie Curie was born in Warsaw.",
        'Her "statements" are lost. Marie Curie was born in Warsaw.',
    ],
)
def test_draft_may_begin_with_a_bracket(draft: str) -> None:
    assert "was born in Warsaw. [p1, place of birth: Warsaw]" in checked(draft).render()


@pytest.mark.parametrize("draft", ["[NA]", "```\nMarie Curie was born in Warsaw.\n```", "[p1, alias: Maria]"])
def test_draft_without_a_statement_is_refused(draft: str) -> None:
    with pytest.raises(InputError, match="draft has no statement: give an answer"):
        checked(draft)


def test_number_of_a_draft_is_no_source_of_ours() -> None:
    [statement] = checked("Marie Curie was born in Warsaw [1, 12].").statements
    assert statement.status == "supported"
    assert statement.refused == (
        "[1]: it names no triple: write [id, relation: value]",
        "[12]: it names no triple: write [id, relation: value]",
    )


@pytest.mark.parametrize(
    ("mark", "refused"),
    [
        ("[p1]", "[p1]: it names no triple: write [id, relation: value]"),
        ("[p1, pet: Max]", "[p1, pet: Max]: there is no such triple"),
        ("[pet: Max]", "[pet: Max]: there is no such triple"),
        ("[p2, place of birth: Warsaw]", "[p2, place of birth: Warsaw]: there is no such triple"),
    ],
)
def test_refused_citation_is_told_with_the_parts_that_it_has(mark: str, refused: str) -> None:
    [statement] = checked(f"Marie Curie was born in Warsaw {mark}.").statements
    assert statement.refused == (refused,)


@pytest.mark.parametrize(
    ("id_", "part"),
    [
        ("http://e.org/Curie", "Curie"),
        ("http://e.org/people#Q7186", "Q7186"),
        ("http://e.org:8080/p/Q7186", "q7186"),
    ],
)
def test_right_citation_of_an_address_is_kept(id_: str, part: str) -> None:
    graph = Graph([Triple(id_, "Marie Curie", "place of birth", "c1", "Warsaw")])
    whole, short = (
        f"Marie Curie was born in Warsaw. [{name}, place of birth: Warsaw]" for name in (id_, part)
    )
    for draft in (whole, short):
        answered = checked(draft, graph)
        assert (answered.render(), answered.statements[0].refused) == (whole, ())
