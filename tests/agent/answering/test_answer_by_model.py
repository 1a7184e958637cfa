"""A language model writes the answer, and the code checks each of its citations."""

from pathlib import Path
from typing import Any

import pytest

from rarr import Answer, answer
from rarr.errors import ModelError
from rarr.testing import InMemoryRetriever, RuleModel, ScriptedModel

READ = {"check_agreement": "embedded"}

PEOPLE = Path("examples/graph/people.csv")
QUESTION = "Who was Marie Curie?"


def numbers() -> dict[str, int]:
    """The number of each relation of Marie Curie in the list that the model gets."""
    model = ScriptedModel(lambda asked: {"statements": []})
    answer(QUESTION, graph=PEOPLE, model=model, models=READ)
    lines = model.calls[0].messages[-1].content.splitlines()
    listed = [line for line in lines if line.startswith("[")]
    return {line.partition("] ")[2]: int(line[1 : line.index("]")]) for line in listed}


def said(*statements: dict[str, Any], unsupported: Any = "mark") -> Answer:
    whole = [{"citations": [], "needs_support": False} | statement for statement in statements]
    model = ScriptedModel(lambda asked: {"statements": whole})
    return answer(QUESTION, graph=PEOPLE, model=model, models=READ, unsupported=unsupported)


def test_right_citation_is_kept() -> None:
    number = numbers()["Marie Curie was born in Warsaw."]
    answered = said({"text": "Marie Curie was born in Warsaw.", "citations": [number]})
    assert answered.render() == "Marie Curie was born in Warsaw. [p1, place of birth: Warsaw]"


def test_each_value_is_listed_by_itself() -> None:
    assert {"Marie Curie was a physicist.", "Marie Curie was a chemist."} <= numbers().keys()


@pytest.mark.parametrize("number", [0, 99, -1])
def test_citation_that_does_not_exist_is_taken_away(number: int) -> None:
    answered = said({"text": "Marie Curie had a cat named Max.", "citations": [number]})
    [statement] = answered.statements
    assert (statement.citations, statement.needs_support) == ((), True)
    assert statement.refused == (f"[{number}]: there is no such source",)


def test_citation_whose_value_is_not_in_the_statement_is_taken_away() -> None:
    number = numbers()["Marie Curie was born in Warsaw."]
    [statement] = said({"text": "Marie Curie was born in Paris.", "citations": [number]}).statements
    assert (statement.citations, statement.needs_support) == ((), True)
    assert statement.refused == (f"[{number}]: the check did not find the statement in it",)


def test_citation_about_another_entity_is_taken_away() -> None:
    number = numbers()["Marie Curie was married to Pierre Curie."]
    model = ScriptedModel(
        lambda asked: {
            "statements": [
                {"text": "Mary Shelley loved Pierre Curie.", "citations": [number], "needs_support": False}
            ]
        }
    )
    answered = answer(
        "Who were Marie Curie and Mary Shelley?",
        graph=PEOPLE,
        model=model,
        models=READ,
    )
    assert answered.statements[0].needs_support


@pytest.mark.parametrize(
    ("listed", "text"),
    [
        ("Marie Curie was born in Warsaw.", "Marie Curie was not born in Warsaw."),
        ("Marie Curie was born in Warsaw.", "It is a myth that Marie Curie was born in Warsaw."),
        ("Marie Curie was a chemist.", "Marie Curie was never a chemist."),
        ("The mother of Irène Joliot-Curie was Marie Curie.",
         "The mother of Marie Curie was Irène Joliot-Curie."),
    ],
)  # fmt: skip
def test_triple_supports_no_statement_that_denies_or_reverses_it(listed: str, text: str) -> None:
    [statement] = said({"text": text, "citations": [numbers()[listed]]}).statements
    assert (statement.citations, statement.status) == ((), "unconfirmed")


def test_statement_about_a_pronoun_is_marked_as_well() -> None:
    [statement] = said({"text": "She was a dancer."}).statements
    assert (statement.status, statement.needs_support) == ("unconfirmed", True)


def test_missing_citation_is_added() -> None:
    answered = said({"text": "Marie Curie died on July 4, 1934."})
    assert answered.render() == "Marie Curie died on July 4, 1934. [p1, date of death: 1934-07-04]"


def test_statement_may_cite_and_lack_support_at_once() -> None:
    number = numbers()["Marie Curie was born in Warsaw."]
    answered = said({"text": "Marie Curie was born in Warsaw in 1866.", "citations": [number]})
    assert answered.render() == "Marie Curie was born in Warsaw in 1866. [NA]"


def test_model_without_citations_cannot_hide_what_has_no_support() -> None:
    answered = said({"text": "Here is what I found."}, {"text": "Marie Curie was a dancer."})
    assert answered.render() == "Here is what I found. [NA] Marie Curie was a dancer. [NA]"
    assert said({"text": "Marie Curie was a dancer."}, unsupported="drop").dropped == (
        "Marie Curie was a dancer.",
    )


def test_answer_in_free_text_is_read_by_its_brackets() -> None:
    text = (
        "Marie Curie was born in Warsaw [p1, place of birth: Warsaw]. She had a cat named Max [p1, pet: Max]."
        " She was tall. [NA]"
    )
    answered = answer(QUESTION, graph=PEOPLE, model=ScriptedModel(lambda asked: text), models=READ)
    assert [(each.text, len(each.citations), each.needs_support) for each in answered.statements] == [
        ("Marie Curie was born in Warsaw.", 1, False),
        ("She had a cat named Max.", 0, True),
        ("She was tall.", 0, True),
    ]
    assert answered.statements[1].refused == ("[p1, pet: Max]: there is no such triple",)


def test_broken_json_is_no_free_text() -> None:
    with pytest.raises(ModelError):
        answer(
            QUESTION,
            graph=PEOPLE,
            model=ScriptedModel(lambda asked: '{"statements": [{"text": "Mar'),
            models=READ,
        )


def test_double_that_answers_by_rules_answers_from_triples() -> None:
    answered = answer(
        "Where was Marie Curie born?", graph=PEOPLE, model=ScriptedModel(RuleModel()), models=READ
    )
    assert "Marie Curie was born in Warsaw. [p1, place of birth: Warsaw]" in answered.render()


def test_passages_of_documents_are_judged_by_the_verifier() -> None:
    def write(asked: Any) -> dict[str, Any]:
        return {
            "statements": [
                {"text": "The Hoover Dam is 221 metres high.", "citations": [1], "needs_support": False},
                {"text": "The Hoover Dam is 300 metres high.", "citations": [1], "needs_support": False},
            ]
        }

    model = ScriptedModel(write)
    answered = answer(
        "How high is the Hoover Dam?",
        corpus="examples/corpus/hoover-dam.md",
        model=model,
        models=READ,
    )
    assert [(len(each.citations), each.needs_support) for each in answered.statements] == [
        (1, False),
        (0, True),
    ]
    assert answered.usage.model_calls == 1


@pytest.mark.parametrize(
    ("given", "count"), [({}, 8), ({"evidence_per_query": 2}, 2), ({"preset": "fast"}, 1)]
)
def test_model_gets_as_many_passages_as_the_user_sets(given: dict[str, Any], count: int) -> None:
    question = "How high is the Vell Dam?"
    passages = [f"The Vell Dam is {number} metres high." for number in range(201, 213)]
    model = ScriptedModel(lambda asked: {"statements": []})
    answer(
        question,
        search=InMemoryRetriever({question: passages}),
        model=model,
        models=READ,
        **given,
    )
    assert model.calls[0].messages[-1].content.count("metres high.") == count


def test_number_in_a_passage_is_none_of_our_sources() -> None:
    question = "How high is the Vell Dam?"
    model = ScriptedModel(lambda asked: {"statements": []})
    answer(
        question, search=InMemoryRetriever({question: ["The Vell Dam is 221 metres high.[3]"]}), model=model
    )
    assert "[1] The Vell Dam is 221 metres high.\n" in f"{model.calls[0].messages[-1].content}\n"
