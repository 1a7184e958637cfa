"""Of an entity with very many triples, those that the question asks for are used, and the cut is told."""

from typing import Any

from rarr import Answer, Graph, answer
from rarr.retrievers.graph.triples import Triple
from rarr.testing import ScriptedModel


def facts(count: int, *others: tuple[str, str]) -> list[Triple]:
    """Triples of Ida Lunde: `count` works, and behind them the others."""
    works = [("notable work", f"Report {number}") for number in range(count)]
    return [Triple("q1", "Ida Lunde", relation, value, value) for relation, value in (*works, *others)]


def asked(question: str, triples: list[Triple], **given: Any) -> Answer:
    return answer(question, search=Graph(triples), **given)


def codes(answered: Answer) -> list[str]:
    return [warning.code for warning in answered.warnings]


def test_triple_that_the_question_asks_for_is_used_first() -> None:
    answered = asked("What was the motto of Ida Lunde?", facts(70, ("motto", "Look twice")))
    assert answered.render() == "The motto of Ida Lunde is Look twice. [q1, motto: Look twice]"
    [warning] = answered.warnings
    assert (warning.code, warning.message) == (
        "graph_cut",
        "'Ida Lunde' has more than 60 triples: only 60 are used, first those that the question asks for",
    )


def test_model_gets_the_triple_that_the_question_asks_for() -> None:
    model = ScriptedModel(lambda asked: {"statements": []})
    asked("What was the motto of Ida Lunde?", facts(70, ("motto", "Look twice")), model=model)
    listed = model.calls[0].messages[-1].content
    assert "The motto of Ida Lunde is Look twice." in listed
    assert listed.count("Report") == 59


def test_value_of_a_draft_is_used_first() -> None:
    answered = asked(
        "Who was Ida Lunde?", facts(70, ("motto", "Look twice")), draft="Ida Lunde's motto was Look twice."
    )
    assert answered.render() == "Ida Lunde's motto was Look twice. [q1, motto: Look twice]"


def test_entity_that_was_cut_has_no_gap_of_the_graph() -> None:
    answered = asked("What was the blood type of Ida Lunde?", facts(70))
    assert "The graph does not tell" not in answered.text
    assert answered.render() == (
        "What was read of the graph does not answer: What was the blood type of Ida Lunde [NA]"
    )
    assert codes(answered) == ["graph_cut"]


def test_part_that_is_answered_stays_beside_the_cut() -> None:
    question = "Where was Ida Lunde born, and what was her blood type?"
    answered = asked(question, facts(70, ("place of birth", "Aarle")))
    assert [each.text for each in answered.statements] == [
        "Ida Lunde was born in Aarle.",
        "What was read of the graph does not answer: what was her blood type",
    ]


def test_whole_entity_has_its_gap_and_no_warning() -> None:
    answered = asked("What was the blood type of Ida Lunde?", facts(50))
    assert answered.text == "The graph does not tell the blood type of Ida Lunde."
    assert codes(answered) == []


def test_triples_that_point_at_an_entity_are_cut_with_a_warning() -> None:
    born = [Triple(f"p{n}", f"Person Number{n}", "place of birth", "Aarle", "Aarle") for n in range(30)]
    buried = [Triple(f"p{n}", f"Person Number{n}", "place of burial", "Aarle", "Aarle") for n in range(30)]
    answered = asked("Who was born in Aarle?", [*buried, *born])
    assert len(answered.statements) == 20
    assert {source.triple.relation for source in answered.sources if source.triple} == {"place of birth"}
    assert [warning.message for warning in answered.warnings] == [
        "30 triples that the question asks for have the value 'Aarle': only 20 are used, first those that the"
        " question asks for"
    ]


def test_second_step_uses_what_the_question_asks_for() -> None:
    works = [Triple("w", "Orsk Bridge", "mentioned in", f"Book {n}", f"Book {n}") for n in range(250)]
    triples = [
        Triple("q1", "Ida Lunde", "notable work", "w", "Orsk Bridge"),
        *works,
        Triple("w", "Orsk Bridge", "height", "40 metres", "40 metres"),
    ]
    answered = asked("What is the height of the notable work of Ida Lunde?", triples)
    assert "Orsk Bridge is 40 metres high." in answered.text
    assert codes(answered) == ["graph_cut"]
