"""An entity with very many triples: those that share words with the question come first."""

from rarr import answer
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.triples import Triple

TRIPLES = [
    *(
        Triple("q1", "Ida Lunde", f"fact {number}", f"value {number}", f"value {number}")
        for number in range(70)
    ),
    Triple("q1", "Ida Lunde", "motto", "Look twice", "Look twice"),
]


def test_triple_that_the_question_asks_for_is_used_first() -> None:
    answered = answer("What is the motto of Ida Lunde?", search=Graph(TRIPLES))
    assert answered.render() == "The motto of Ida Lunde is Look twice. [q1, motto: Look twice]"
    [warning] = answered.warnings
    assert (warning.code, warning.message) == (
        "graph_cut",
        "'Ida Lunde' has 71 triples: only 60 are used",
    )


def test_entity_with_few_triples_is_used_whole() -> None:
    answered = answer("What is the motto of Ida Lunde?", search=Graph(TRIPLES[-9:]))
    assert answered.statements[0].status == "supported"
    assert answered.warnings == ()
