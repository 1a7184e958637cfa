"""Wrong statements about what a graph has: another day, number or subject is never supported."""

import pytest

from rarr import Answer, Graph, answer
from rarr.retrievers.graph.triples import Triple
from rarr.testing import ScriptedModel

READ = {"check_agreement": "embedded"}

QUESTION = "What of the Vell Dam, the Tessin road, Castor Foods and Ida Lunde?"
FACTS = [
    ("Vell Dam", "completed", "1936"),
    ("Vell Dam", "height", "221 metres"),
    ("Vell Dam", "owner", "Castor Foods"),
    ("Tessin road", "opened", "1971-05-04"),
    ("Tessin road", "toll", "12"),
    ("Castor Foods", "market share", "20%"),
    ("Castor Foods", "employees", "2,200"),
    ("Ida Lunde", "date of birth", "1867-11-07"),
    ("Ida Lunde", "date of death", "+1934-01-01T00:00:00Z"),
    ("Ida Lunde", "occupation", "engineer"),
]
GRAPH = Graph(Triple(name, name, relation, value, value) for name, relation, value in FACTS)


def told(*texts: str, question: str = QUESTION, graph: Graph = GRAPH) -> Answer:
    """The answer of a model that writes these statements, and cites nothing."""
    statements = [{"text": text, "citations": [], "needs_support": False} for text in texts]
    return answer(
        question, search=graph, model=ScriptedModel(lambda asked: {"statements": statements}), models=READ
    )


@pytest.mark.parametrize(
    "text",
    [
        "Ida Lunde was born on 3 May 1867.",
        "Ida Lunde was born on 8 November 1867.",
        "Ida Lunde was born in October 1867.",
        "Ida Lunde died on 4 July 1934.",
        "Ida Lunde, an engineer, won a prize in 1867.",
        "The Vell Dam burst in 1936.",
        "The Tessin road was opened on 5 May 1971.",
        "The Tessin road was opened on 4 May 1972.",
        "The Vell Dam was completed in 1937.",
        "The Vell Dam was completed on 3 March 1936.",
        "The Vell Dam is 212 metres high.",
        "The Vell Dam is 1,221 metres high.",
        "The Vell Dam is 221 feet high.",
        "The Vell Dam is -221 metres high.",
        "The toll of the Tessin road is 1.12.",
        "The toll of the Tessin road is 12 million.",
        "The market share of Castor Foods is 20 years.",
        "The employees of Castor Foods number 12,200.",
        "The employees of Castor Foods number 2,200,000.",
        "The owner of the Vell Dam is Castor Foods Holding.",
        "The Vell Dam Museum was completed in 1936.",
    ],
)
def test_other_day_number_or_name_is_marked(text: str) -> None:
    [statement] = told(text).statements
    assert (statement.status, statement.needs_support) == ("unconfirmed", True)


@pytest.mark.parametrize(
    "text",
    [
        "Ida Lunde was born on 7 November 1867.",
        "Ida Lunde was born in November 1867.",
        "Ida Lunde was born in the 1860s.",
        "The Tessin road was opened on May 4, 1971.",
        "The Vell Dam was completed in 1936.",
        "The Vell Dam is 221 m high.",
        "The market share of Castor Foods is 20 percent.",
        "The owner of the Vell Dam is Castor Foods.",
    ],
)
def test_same_value_in_other_words_is_cited(text: str) -> None:
    [statement] = told(text).statements
    assert (statement.status, len(statement.citations)) == ("supported", 1)


COUPLE = Graph(
    Triple(id_, name, relation, value, value)
    for id_, name, relation, value in (
        ("p1", "Marie Curie", "spouse", "Pierre Curie"),
        ("p1", "Marie Curie", "date of death", "1934-07-04"),
        ("p2", "Pierre Curie", "date of death", "1906-04-19"),
        ("p2", "Pierre Curie", "place of birth", "Paris"),
    )
)


def test_pronoun_is_the_name_before_it_and_nobody_else() -> None:
    texts = ("Marie Curie married Pierre Curie. She died in 1906.", "Marie Curie died in 1934.")
    answered = told(*texts, question="Who were Marie Curie and Pierre Curie?", graph=COUPLE)
    assert [each.status for each in answered.statements] == ["unconfirmed", "supported"]
    assert "1906-04-19" not in answered.render()


@pytest.mark.parametrize(
    "text",
    [
        "The Vell Dam was completed in 1936. It disliked cats.",
        "Ida Lunde was an engineer. She was tall.",
        "Here is what I found: it is famous. The Vell Dam is 221 metres high.",
        "The Vell Dam was built. Ida Lunde was born in 1936.",
    ],
)
def test_each_sentence_of_a_statement_needs_its_own_triple(text: str) -> None:
    [statement] = told(text).statements
    assert (statement.status, statement.needs_support) == ("unconfirmed", True)


@pytest.mark.parametrize(
    "text",
    [
        "The Vell Dam was completed in 1936. It is 221 metres high.",
        "Ida Lunde died in 1934. She was born on 7 November 1867.",
    ],
)
def test_sentences_with_triples_of_their_own_are_supported(text: str) -> None:
    [statement] = told(text).statements
    assert (statement.status, statement.needs_support) == ("supported", False)
