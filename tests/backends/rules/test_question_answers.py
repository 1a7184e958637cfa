"""A sentence answers a question by its subject, by what it says, and by a value of the asked kind."""

import pytest

from rarr.backends.rules.asked_clauses import asked_clauses
from rarr.backends.rules.question_answers import Candidate, answers_question

DOME = Candidate(
    "The main dome has a diameter of 18 metres.", "It was opened in 1931.", "Brannick Observatory"
)
HIGH = Candidate("The lighthouse of Tolk is 54 metres high.", "", "Tolk")
BUILT = Candidate("It was built in 1847.", HIGH.text, "Tolk")
MAYOR = Candidate(
    "The mayor of Elm is Ida Rask, who was elected in 2021.", "Tolk has a harbour.", "Two towns"
)
OPENED = Candidate("It was opened by Martha Helm in 1904.", "The mill Helm has 640 workers.", "Elm")
TWICE = Candidate("Tolk has more than twice as many inhabitants as Elm.", "", "Two towns of Keld")
DENIED = Candidate("It was not true that the mill Helm had been sold in 2020, a speaker said.")
FERRY = Candidate(
    "She carries 410 passengers and 60 cars.", "The ferry Bellis was bought in 2003.", "Ferries"
)


def answers(question: str, candidate: Candidate) -> bool:
    [asked] = asked_clauses(question)
    return answers_question(asked, candidate)


@pytest.mark.parametrize(
    ("question", "candidate"),
    [
        ("How high is the lighthouse of Tolk?", HIGH),
        ("when was the lighthouse of tolk built", BUILT),
        ("When was the lighthouse of Tolk built?", BUILT),
        ("Who is the mayor of Elm?", MAYOR),
        ("Who opened the mill Helm?", OPENED),
        ("When was the mill Helm opened?", OPENED),
        ("How many passengers does the Bellis carry?", FERRY),
        ("How many people work at the mill Helm?", Candidate("46 people work at the mill Helm.")),
        ("How many employees has the mill Helm?", Candidate("The mill Helm has 640 workers.")),
        ("Was the mill Helm sold?", DENIED),
        ("Why was the road closed?", Candidate("The road was closed because of avalanches.")),
        ("What is Elm?", Candidate("Elm is a market town on the Sarn.")),
    ],
)
def test_sentence_with_subject_relation_and_value_answers(question: str, candidate: Candidate) -> None:
    assert answers(question, candidate)


@pytest.mark.parametrize(
    ("question", "candidate"),
    [
        ("How high is the lighthouse of Elm?", HIGH),
        ("How high is the lighthouse of Elm?", HIGH._replace(title="Elm")),
        ("When was the lighthouse of Elm built?", BUILT),
        ("Who is the mayor of Tolk?", MAYOR),
        ("How many cars does the Aurelia carry?", FERRY),
        ("What is the population of Keld?", TWICE),
    ],
)
def test_sentence_about_another_subject_answers_nothing(question: str, candidate: Candidate) -> None:
    assert not answers(question, candidate)


@pytest.mark.parametrize(
    ("question", "candidate"),
    [
        ("Who is the mayor of Tolk?", BUILT),
        ("When was Tolk besieged?", Candidate("Tolk was founded in 1243.")),
        ("When was Martha Helm born?", OPENED),
        ("How old is Ida Rask?", MAYOR),
        ("How deep is the dome of the Brannick Observatory?", DOME),
        ("What is the population of Keld?", Candidate("1243", "", "Two towns of Keld")),
    ],
)
def test_sentence_that_says_something_else_answers_nothing(question: str, candidate: Candidate) -> None:
    assert not answers(question, candidate)


@pytest.mark.parametrize(
    ("question", "candidate"),
    [
        ("Who built the lighthouse of Tolk?", BUILT),
        ("When was the lighthouse of Tolk painted?", Candidate("The lighthouse of Tolk was painted white.")),
        ("How high is the tower of Elm?", Candidate("The tower of Elm is high and has 30 windows.")),
        ("How many inhabitants has Tolk?", TWICE),
        ("How many windows has the mill Helm?", Candidate("The mill Helm has large windows.")),
        ("Why was the road closed?", Candidate("The road was closed in 1990.")),
        ("When was the mill Helm sold?", DENIED),
    ],
)
def test_sentence_without_a_stated_value_of_the_kind_answers_nothing(
    question: str, candidate: Candidate
) -> None:
    assert not answers(question, candidate)


def test_bare_interrogative_asks_the_clause_before_it_anew() -> None:
    assert [each.words for each in asked_clauses("Who opened the mill, and when?")] == [
        "Who opened the mill",
        "when opened the mill",
    ]


def test_fragment_stays_with_its_clause() -> None:
    assert [each.written for each in asked_clauses("In 2020, how many inhabitants had Elm?")] == [
        "In 2020, how many inhabitants had Elm"
    ]


def test_pronoun_takes_over_the_subject_of_the_clause_before() -> None:
    first, second = asked_clauses("Who designed the lighthouse of Tolk, and when was it built?")
    assert (first.subject, second.subject) == ("", "the lighthouse of Tolk")
    assert answers_question(second, BUILT)
