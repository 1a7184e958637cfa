"""A language model writes wrong statements with citations that look right: none comes out as supported."""

from functools import cache
from typing import Any

import pytest
from families import few

from rarr import Answer, answer
from rarr.testing import InMemoryRetriever, ScriptedModel

READ = {"check_agreement": "embedded"}

QUESTION = "What of the Vell Dam, Brenix, Ruth Kane, Lunde, the Tessin road, Castor Foods, Kellan and Pellan?"
PASSAGES = {
    "dam": "The Vell Dam on the Orsk was completed in 1936. "
    "It is 221 metres high and was designed by Ida Lunde.",
    "drug": "Brenix must not be taken with grapefruit juice. Adults take one tablet of 20 mg a day.",
    "club": "Ruth Kane beat Helen Marsh in the final of 1998. The guards inform the warden after dark.",
    "ferry": "Castor Lines plans to order two ferries in 2027. The ferry to Lunde leaves at 13:20.",
    "road": "The Tessin road leads from Olm to Varn. It was opened by Nils Brandt on 4 May 1971.",
    "firm": "Castor Foods had sales of 31 million euros in 2022 and 44 million euros in 2023.",
    "town": "Kellan is a village in Scotland founded in 1854. Most of its 900 people work in Dunmore.",
    "trial": "The Pellan trial failed to find a benefit. It had 412 patients, and ended in March 2019.",
}
WRONG = [
    ("negation", "The Vell Dam was not completed in 1936.", "dam"),
    ("negation left out", "Brenix may be taken with grapefruit juice.", "drug"),
    ("failed to", "The Pellan trial found a benefit.", "trial"),
    ("other year", "The Vell Dam was completed in 1937.", "dam"),
    ("other day", "The Tessin road was opened on 5 May 1971.", "road"),
    ("other number", "The Vell Dam is 212 metres high.", "dam"),
    ("other unit", "The Vell Dam is 221 feet high.", "dam"),
    ("other rate", "Adults take one tablet of 20 mg of Brenix a week.", "drug"),
    ("roles", "Helen Marsh beat Ruth Kane in the final of 1998.", "club"),
    ("roles without names", "The warden informs the guards after dark.", "club"),
    ("way", "The Tessin road leads from Varn to Olm.", "road"),
    ("other subject", "The Norrby Dam was completed in 1936.", "dam"),
    ("other subject of a name", "Castor Foods plans to order two ferries.", "ferry"),
    ("other person", "The Vell Dam was designed by Nils Brandt.", "dam"),
    ("plan for a fact", "Castor Lines ordered two ferries in 2027.", "ferry"),
    ("exchanged years", "Castor Foods had sales of 44 million euros in 2022.", "firm"),
    ("other kind", "Kellan is a town in Scotland founded in 1854.", "town"),
    ("all for most", "All people of Kellan work in Dunmore.", "town"),
    ("only", "Only the people of Kellan work in Dunmore.", "town"),
    ("hedge", "The Vell Dam is rarely 221 metres high.", "dam"),
    ("made up beside a fact", "The Vell Dam was completed in 1936 and cost 12 million marks.", "dam"),
    ("second sentence", "The Vell Dam was completed in 1936. It was blown up in 1944.", "dam"),
    ("nothing cited", "The Vell Dam was closed in 1990.", ""),
    ("nothing cited, no value", "It is dangerous.", ""),
]  # fmt: skip
RIGHT = [
    ("The Vell Dam on the Orsk was completed in 1936.", "dam"),
    ("Brenix must not be taken with grapefruit juice.", "drug"),
    ("Ruth Kane beat Helen Marsh in the final of 1998.", "club"),
    ("The ferry to Lunde leaves at 13:20.", "ferry"),
    ("The Tessin road leads from Olm to Varn. It was opened by Nils Brandt on 4 May 1971.", "road"),
    ("Kellan is a village in Scotland founded in 1854.", "town"),
    ("The Pellan trial failed to find a benefit.", "trial"),
]


@cache
def answered(*statements: tuple[str, str]) -> Answer:
    """An answer of these statements, each with the passage that it cites."""
    retrieved = InMemoryRetriever({QUESTION: [*PASSAGES.values()]})

    def write(asked: Any) -> dict[str, Any]:
        lines = asked.messages[-1].content.splitlines()
        numbers = {name: _number(text, lines) for name, text in PASSAGES.items()} | {"": None}
        cited = [(text, [number] if (number := numbers[name]) else []) for text, name in statements]
        return {
            "statements": [
                {"text": text, "citations": numbers, "needs_support": False} for text, numbers in cited
            ]
        }

    return answer(QUESTION, search=retrieved, model=ScriptedModel(write), models=READ)


def _number(text: str, lines: list[str]) -> int:
    [line] = [line for line in lines if text in line]
    return int(line[1 : line.index("]")])


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, text, _ in WRONG])
def test_wrong_statement_is_marked(kind: str, text: str) -> None:
    whole = answered(*((text, name) for _, text, name in WRONG))
    [statement] = [each for each in whole.statements if each.text == text]
    assert statement.needs_support
    assert statement.status == "unconfirmed"


def test_wrong_citation_is_replaced_by_the_passage_that_supports() -> None:
    whole = answered(("The ferry to Lunde leaves at 13:20.", "firm"))
    [statement] = whole.statements
    assert statement.refused == ("[4]: the check did not find the statement in it",)
    assert [source.passage.text for source in whole.sources] == [PASSAGES["ferry"]]


@pytest.mark.parametrize("text", [text for text, _ in RIGHT])
def test_right_statement_is_cited(text: str) -> None:
    [statement] = [each for each in answered(*RIGHT).statements if each.text == text]
    assert (statement.status, len(statement.citations), statement.needs_support) == ("supported", 1, False)


OTHER_THINGS = [
    ("How high is the Norrby Dam?", "It is 221 metres high.", ["The Vell Dam is 221 metres high."]),
    ("How high is the Norrby Dam?", "The dam is 221 metres high.", ["The Vell Dam is 221 metres high."]),
    ("How high is the Norrby Dam?", "221 metres.", ["The Vell Dam is 221 metres high."]),
    ("Is Brenix safe?", "Yes.", ["Brenix is not safe for children. It is safe for adults."]),
    ("Is Brenix safe?", "It is safe for children.", ["Brenix is not safe for children, but for adults."]),
    (
        "When did Ida Lunde die?",
        "Ida Lunde was born in 1936. She died in 1990.",
        ["Ida Lunde was born in 1936. Karl Roth died in 1990."],
    ),
    (
        "What of the Vell Dam?",
        "The Vell Dam was completed in 1936 and is 300 metres high.",
        ["The Vell Dam was completed in 1936.", "The Norrby Dam is 300 metres high."],
    ),
    (
        "Who owns the Orsk mill?",
        "The Orsk mill was sold to a bank in 2019.",
        ["The town considered selling the Orsk mill to a bank in 2019."],
    ),
]


@pytest.mark.parametrize(("question", "text", "passages"), few(OTHER_THINGS, every=4))
def test_statement_about_another_thing_than_the_passage_is_marked(
    question: str, text: str, passages: list[str]
) -> None:
    cited = {"text": text, "citations": [*range(1, len(passages) + 1)], "needs_support": False}
    model = ScriptedModel(lambda asked: {"statements": [cited]})
    whole = answer(
        question,
        search=InMemoryRetriever({question: passages}),
        model=model,
        models=READ,
    )
    [statement] = whole.statements
    assert (statement.status, statement.needs_support) == ("unconfirmed", True)


def test_pronoun_and_description_of_the_right_thing_are_supported() -> None:
    question, passage = (
        "How high is the Vell Dam?",
        "The Vell Dam is 221 metres high. It was completed in 1936.",
    )
    texts = ["It is 221 metres high.", "The dam was completed in 1936."]
    cited = [{"text": text, "citations": [1], "needs_support": False} for text in texts]
    model = ScriptedModel(lambda asked: {"statements": cited})
    whole = answer(
        question,
        search=InMemoryRetriever({question: [passage]}),
        model=model,
        models=READ,
    )
    assert [each.status for each in whole.statements] == ["supported", "supported"]
