"""Of an entity with very many triples, those that the question asks for are used, and the cut is told."""

from typing import Any

from agent.answering.helpers import writer
from rarr import Answer, Graph, answer
from rarr.retrievers.graph.triples import Triple


def facts(count: int, *others: tuple[str, str]) -> list[Triple]:
    """Triples of Ida Lunde: `count` works, and behind them the others."""
    works = [("notable work", f"Report {number}") for number in range(count)]
    return [Triple("q1", "Ida Lunde", relation, value, value) for relation, value in (*works, *others)]


def asked(question: str, triples: list[Triple], **given: Any) -> Answer:
    return answer(question, search=Graph(triples), **given)


def codes(answered: Answer) -> list[str]:
    return [warning.code for warning in answered.warnings]


def test_triple_that_the_question_asks_for_is_used_first_and_listed() -> None:
    triples = facts(130, ("motto", "Look twice"))
    answered = asked("What was the motto of Ida Lunde?", triples)
    assert answered.render() == "The motto of Ida Lunde is Look twice. [q1, motto: Look twice]"
    [warning] = answered.warnings
    assert (warning.code, warning.message) == (
        "graph_cut",
        "131 triples are about the names of the question: only 120 are used, first those that the question"
        " asks for",
    )
    model = writer()
    asked("What was the motto of Ida Lunde?", triples, model=model)
    listed = model.calls[0].messages[-1].content
    assert "The motto of Ida Lunde is Look twice." in listed
    assert listed.count("Report") == 119


def test_triples_that_point_at_an_entity_are_cut_as_well() -> None:
    born, buried = (
        [Triple(f"p{n}", f"Ida {n}", f"place of {relation}", "Aarle", "Aarle") for n in range(100)]
        for relation in ("birth", "burial")
    )
    answered = asked("Who was born in Aarle?", [*buried, *born])
    assert len(answered.statements) == 100 and codes(answered) == ["graph_cut"]
    assert {source.triple.relation for source in answered.sources if source.triple} == {"place of birth"}


def test_model_gets_the_triples_of_a_value_that_the_question_asks_for() -> None:
    model = writer()
    triples = [
        Triple("q1", "Ida Lunde", "notable work", "w", "Orsk Bridge"),
        *(Triple("w", "Orsk Bridge", "mentioned in", f"Book {n}", f"Book {n}") for n in range(250)),
        Triple("w", "Orsk Bridge", "height", "40 metres", "40 metres"),
    ]
    answered = asked("What is the height of the notable work of Ida Lunde?", triples, model=model)
    assert "Orsk Bridge is 40 metres high." in model.calls[0].messages[-1].content
    assert codes(answered) == ["graph_cut"]
