"""A language model writes the answer, and each statement is read as a card beside the sources."""

from pathlib import Path
from typing import Any

import pytest

from agent.answering.helpers import writer
from rarr import Answer, answer
from rarr.errors import ModelError
from rarr.testing import InMemoryRetriever, RuleModel, ScriptedModel

PEOPLE = Path("examples/graph/people.csv")
QUESTION = "Who was Marie Curie?"
BORN = "Marie Curie was born in Warsaw."


def numbers() -> dict[str, int]:
    """The number of each triple in the list that the model gets."""
    model = writer()
    answer(QUESTION, graph=PEOPLE, model=model)
    lines = model.calls[0].messages[-1].content.splitlines()
    listed = [line for line in lines if line.startswith("[")]
    return {line.partition("] ")[2]: int(line[1 : line.index("]")]) for line in listed}


def said(*statements: dict[str, Any] | str, cards: Any = None) -> Answer:
    model = writer(*statements, cards=cards)
    return answer(QUESTION, graph=PEOPLE, model=model)


def test_right_citation_is_kept_in_other_words_that_the_reader_supports() -> None:
    text = "Marie Curie came from Warsaw."
    answered = said({"text": text, "citations": [numbers()[BORN]]}, cards={text: {"v": "yes", "by": BORN}})
    assert answered.render() == "Marie Curie came from Warsaw. [p1, place of birth: Warsaw]"


def test_each_value_is_listed_by_itself() -> None:
    assert {"Marie Curie was a physicist.", "Marie Curie was a chemist."} <= numbers().keys()


@pytest.mark.parametrize("number", [0, 99, -1])
def test_citation_that_does_not_exist_is_taken_away(number: int) -> None:
    [statement] = said({"text": "Marie Curie had a cat named Max.", "citations": [number]}).statements
    assert (statement.citations, statement.needs_support) == ((), True)
    assert statement.refused == (f"[{number}]: there is no such source",)


@pytest.mark.parametrize(
    "text",
    [
        "Marie Curie was born in Paris.",
        "Marie Curie was not born in Warsaw.",
        "Mary Shelley was born in Warsaw.",
        "Marie Curie was a dancer.",
    ],
)
def test_statement_that_no_triple_says_is_marked_and_loses_its_citation(text: str) -> None:
    [statement] = said({"text": text, "citations": [numbers()["Marie Curie was a chemist."]]}).statements
    assert (statement.citations, statement.status) == ((), "unconfirmed")
    assert statement.needs_support
    assert statement.refused[0].endswith("the check does not quote it")


def test_missing_citation_is_added() -> None:
    text = "Marie Curie died on July 4, 1934."
    assert said(text).render() == f"{text} [p1, date of death: 1934-07-04]"


def test_statement_may_cite_and_lack_support_at_once() -> None:
    text = "Marie Curie was born in Warsaw with a cough."
    answered = said(
        {"text": text, "citations": [numbers()[BORN]]},
        cards={text: {"v": "open", "by": BORN, "open": ["with a cough"]}},
    )
    assert answered.render() == f"{text} [p1, place of birth: Warsaw] [NA]"


def test_each_sentence_of_a_statement_needs_support() -> None:
    [statement] = said(f"{BORN} Marie Curie was a dancer.").statements
    assert statement.status == "unconfirmed"


def test_sentence_that_states_nothing_needs_no_support() -> None:
    text = "Here is what I found."
    assert said(text, "Marie Curie was a dancer.", cards={text: {"v": "none"}}).render() == (
        "Here is what I found. Marie Curie was a dancer. [NA]"
    )


def test_model_that_agrees_with_everything_supports_nothing() -> None:
    """It calls the planted errors right as well."""

    def agrees(asked: Any) -> Any:
        if asked.prompt == "answer_with_citations":
            return {"statements": [{"text": BORN, "citations": [], "needs_support": False}]}
        return {"cards": [{"s": number, "q": ["P1.1"], "v": "yes"} for number in range(1, 9)]}

    answered = answer(QUESTION, graph=PEOPLE, model=ScriptedModel(agrees))
    assert answered.statements[0].needs_support
    assert [warning.code for warning in answered.warnings] == ["reader_unreliable"]
    assert answered.usage.controls.planted > answered.usage.controls.caught


def test_answer_that_could_not_be_read_is_unjudged() -> None:
    model = ScriptedModel(
        lambda asked: (
            {"statements": [{"text": BORN, "citations": [], "needs_support": False}]}
            if asked.prompt == "answer_with_citations"
            else "no cards"
        )
    )
    answered = answer(QUESTION, graph=PEOPLE, model=model)
    assert [(it.status, it.needs_support) for it in answered.statements] == [("unjudged", True)]
    assert "check_failed" in {warning.code for warning in answered.warnings}


def test_answer_without_json_is_an_error() -> None:
    with pytest.raises(ModelError):
        answer(QUESTION, graph=PEOPLE, model=ScriptedModel(lambda asked: '{"statements": [{"text": "Mar'))


def test_double_that_answers_by_rules_answers_from_triples() -> None:
    answered = answer("Where was Marie Curie born?", graph=PEOPLE, model=ScriptedModel(RuleModel()))
    assert f"{BORN} [p1, place of birth: Warsaw]" in answered.render()


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_statements_about_passages_are_read_as_cards_with_every_preset(preset: Any) -> None:
    model = writer("Hoover Dam is 726 feet high.", "Hoover Dam is 900 feet high.")
    corpus = "examples/corpus/hoover-dam.md"
    answered = answer("How high is the Hoover Dam?", corpus=corpus, model=model, preset=preset)
    assert [(len(each.citations), each.needs_support) for each in answered.statements] == [
        (1, False),
        (0, True),
    ]


@pytest.mark.parametrize(
    ("given", "count"), [({}, 8), ({"evidence_per_query": 2}, 2), ({"preset": "fast"}, 1)]
)
def test_model_gets_as_many_passages_as_the_user_sets(given: dict[str, Any], count: int) -> None:
    question = "How high is the Vell Dam?"
    passages = [f"The Vell Dam is {number} metres high." for number in range(201, 213)]
    model = writer()
    answer(question, search=InMemoryRetriever({question: passages}), model=model, **given)
    assert model.calls[0].messages[-1].content.count("metres high.") == count


def test_number_in_a_passage_is_none_of_our_sources() -> None:
    question = "How high is the Vell Dam?"
    passages = ["The Vell Dam is 221 metres high.[3]"]
    model = writer()
    answer(question, search=InMemoryRetriever({question: passages}), model=model)
    assert "[1] The Vell Dam is 221 metres high.\n" in f"{model.calls[0].messages[-1].content}\n"
