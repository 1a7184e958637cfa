"""A language model writes the answer, and each statement is read as a card beside the sources."""

from pathlib import Path
from typing import Any

import pytest

from agent.answering.helpers import writer
from rarr import answer
from rarr.errors import ModelError
from rarr.testing import Asked, InMemoryRetriever, RuleModel, ScriptedModel

PEOPLE = Path("examples/graph/people.csv")
QUESTION = "Who was Marie Curie?"
BORN, CHEMIST = "Marie Curie was born in Warsaw.", "Marie Curie was a chemist."
COUGH = "Marie Curie was born in Warsaw with a cough."
PLACE, DAY = "[p1, place of birth: Warsaw]", "[p1, date of death: 1934-07-04]"


@pytest.fixture(scope="module")
def numbers() -> dict[str, int]:
    """The number of each triple in the list that the model gets."""
    model = writer()
    answer(QUESTION, graph=PEOPLE, model=model)
    lines = model.calls[0].messages[-1].content.splitlines()
    listed = [line for line in lines if line.startswith("[")]
    return {line.partition("] ")[2]: int(line[1 : line.index("]")]) for line in listed}


@pytest.mark.parametrize(
    ("text", "cited", "card", "rendered", "refused"),
    [
        ("Marie Curie came from Warsaw.", BORN, {"v": "yes", "by": BORN}, f"{{}} {PLACE}", ""),
        ("Marie Curie died on July 4, 1934.", None, None, f"{{}} {DAY}", ""),  # the citation is added
        (COUGH, BORN, {"v": "open", "by": BORN, "open": ["with a cough"]}, f"{{}} {PLACE} [NA]", ""),
        (f"{BORN} Marie Curie was a dancer.", None, None, f"{{}} {PLACE} [NA]", ""),
        ("Here is what I found.", None, {"v": "none"}, "{}", ""),
        ("Marie Curie was born in Paris.", CHEMIST, None, "{} [NA]", "the check does not quote it"),
        ("Marie Curie was not born in Warsaw.", CHEMIST, None, "{} [NA]", "the check does not quote it"),
        ("Mary Shelley was born in Warsaw.", CHEMIST, None, "{} [NA]", "the check does not quote it"),
        ("Marie Curie had a cat.", 0, None, "{} [NA]", "there is no such source"),
        ("Marie Curie had a cat.", 99, None, "{} [NA]", "there is no such source"),
        ("Marie Curie had a cat.", -1, None, "{} [NA]", "there is no such source"),
    ],
)
def test_card_decides_what_a_statement_cites(
    text: str, cited: Any, card: Any, rendered: str, refused: str, numbers: dict[str, int]
) -> None:
    citations = [] if cited is None else [numbers.get(cited, cited)]
    model = writer({"text": text, "citations": citations}, cards={text: card} if card else None)
    answered = answer(QUESTION, graph=PEOPLE, model=model)
    assert answered.render() == rendered.format(text)
    [statement] = answered.statements
    assert statement.needs_support == rendered.endswith("[NA]")
    assert [why.partition(": ")[2] for why in statement.refused] == [refused] * bool(refused)


def test_each_value_is_listed_by_itself(numbers: dict[str, int]) -> None:
    assert {"Marie Curie was a physicist.", CHEMIST} <= numbers.keys()


@pytest.mark.parametrize(
    ("cards", "status", "warning"),
    [
        (
            {"cards": [{"s": number, "q": ["P1.1"], "v": "yes"} for number in range(1, 9)]},
            "unconfirmed",
            "reader_unreliable",
        ),
        ("no cards", "unjudged", "check_failed"),
    ],
)
def test_bad_reader_supports_nothing(cards: Any, status: str, warning: str) -> None:
    """The first calls the planted errors right as well."""

    def reply(asked: Asked) -> Any:
        statement = {"text": BORN, "citations": [], "needs_support": False}
        return {"statements": [statement]} if asked.prompt == "answer_with_citations" else cards

    answered = answer(QUESTION, graph=PEOPLE, model=ScriptedModel(reply))
    assert [(it.status, it.needs_support) for it in answered.statements] == [(status, True)]
    assert warning in {notice.code for notice in answered.warnings}


def test_answer_without_json_is_an_error() -> None:
    with pytest.raises(ModelError):
        answer(QUESTION, graph=PEOPLE, model=ScriptedModel(lambda asked: '{"statements": [{"text": "Mar'))


def test_double_that_answers_by_rules_answers_from_triples() -> None:
    answered = answer("Where was Marie Curie born?", graph=PEOPLE, model=ScriptedModel(RuleModel()))
    assert f"{BORN} {PLACE}" in answered.render()


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_statements_about_passages_are_read_as_cards_with_every_preset(preset: Any) -> None:
    model = writer("Hoover Dam is 726 feet high.", "Hoover Dam is 900 feet high.")
    corpus = "examples/corpus/hoover-dam.md"
    answered = answer("How high is the Hoover Dam?", corpus=corpus, model=model, preset=preset)
    assert [(len(it.citations), it.needs_support) for it in answered.statements] == [(1, False), (0, True)]


@pytest.mark.parametrize(
    ("given", "count"), [({}, 8), ({"evidence_per_query": 2}, 2), ({"preset": "fast"}, 1)]
)
def test_model_gets_as_many_passages_as_the_user_sets_without_their_marks(
    given: dict[str, Any], count: int
) -> None:
    question, model = "How high is the Vell Dam?", writer()
    passages = [f"The Vell Dam is {number} metres high.[3]" for number in range(201, 213)]
    answer(question, search=InMemoryRetriever({question: passages}), model=model, **given)
    asked = model.calls[0].messages[-1].content
    assert asked.count("metres high.") == count and "high.[3]" not in asked
