"""Citations in the brackets of a draft."""

import pytest

from rarr.records.answers import NamedTriple
from rarr.tools.text.citation_brackets import bracket_statements

BORN = NamedTriple(entity="Q1", relation="place of birth", value="Aarle")
JOB = NamedTriple(entity="Q1", relation="occupation", value="geologist")


def read(text: str) -> list[tuple[str, tuple[NamedTriple, ...], bool]]:
    return [(each.text, each.named, each.needs_support) for each in bracket_statements(text)]


@pytest.mark.parametrize(
    "mark",
    [
        "[Q1, place of birth: Aarle]", "[[Q1, place of birth: Aarle]]", "{Q1, place of birth: Aarle}",
        "(Q1, place of birth: Aarle)", "[Q1,place of birth:Aarle]", "[ Q1 ;  place of birth = Aarle. ]",
        '["Q1", "place of birth": "Aarle"]', "[Q1: **place of birth**: *Aarle*]",
        "[qid: Q1 | place of birth: Aarle]",
    ],
)  # fmt: skip
def test_triple_is_read_in_any_form(mark: str) -> None:
    assert read(f"Ida Lunde was born in Aarle {mark}") == [("Ida Lunde was born in Aarle", (BORN,), False)]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("Q1, place of birth: Aarle, occupation: geologist", (BORN, JOB)),
        ("Q1, place of birth: Aarle; occupation: geologist", (BORN, JOB)),
        ("1, 3", (NamedTriple(entity="1"), NamedTriple(entity="3"))),
        ("Q1", (NamedTriple(entity="Q1"),)),
        ("pet: Max", (NamedTriple(relation="pet", value="Max"),)),
        (
            "http://e.org/a#q1, place of birth: Aarle",
            (BORN.model_copy(update={"entity": "http://e.org/a#q1"}),),
        ),
        (
            "http://e.org/a#q1: occupation: geologist",
            (JOB.model_copy(update={"entity": "http://e.org/a#q1"}),),
        ),
    ],
)
def test_bracket_names_triples_or_numbers(content: str, named: tuple[NamedTriple, ...]) -> None:
    assert read(f"So it is [{content}].") == [("So it is.", named, False)]


@pytest.mark.parametrize("mark", ["[NA]", "[N/A]", "(NA)", "[ na ]", "[citation needed]"])
def test_missing_support_is_read(mark: str) -> None:
    assert read(f"Ida had a dog. {mark}") == [("Ida had a dog.", (), True)]


def test_marks_belong_to_the_sentence_before_them() -> None:
    text = "Ida was born in Aarle. [Q1, place of birth: Aarle] She was a geologist"
    text += " [Q1, occupation: geologist]. [NA]"
    assert read(text) == [("Ida was born in Aarle.", (BORN,), False), ("She was a geologist.", (JOB,), True)]


@pytest.mark.parametrize(
    "text", ["Ida (a geologist) was born in Aarle.", "Ida [sic] was here.", "She won [a prize]."]
)
def test_aside_in_brackets_stays(text: str) -> None:
    assert read(text) == [(text, (), False)]
