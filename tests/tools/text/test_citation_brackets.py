"""Citations in brackets as language models write them: the form that was asked for, and malformed ones."""

import pytest

from rarr.tools.text.citation_brackets import BracketCitation, bracket_citations, bracket_statements

BORN = BracketCitation(entity="Q1", relation="place of birth", value="Aarle")
JOB = BracketCitation(entity="Q1", relation="occupation", value="geologist")

FORMS = {
    "as asked for": "[Q1, place of birth: Aarle]",
    "double brackets": "[[Q1, place of birth: Aarle]]",
    "braces": "{Q1, place of birth: Aarle}",
    "round brackets": "(Q1, place of birth: Aarle)",
    "wide brackets": "【Q1, place of birth: Aarle】",
    "never closed": "[Q1, place of birth: Aarle",
    "no space": "[Q1,place of birth:Aarle]",
    "much space": "[  Q1 ,  place of birth :  Aarle  ]",
    "an arrow": "[Q1, place of birth -> Aarle]",
    "an equals sign": "[Q1, place of birth = Aarle]",
    "quotes": '["Q1", "place of birth": "Aarle"]',
    "a key for the id": "[qid: Q1, place of birth: Aarle]",
    "a word before": "[Source: Q1, place of birth: Aarle]",
    "a colon behind the id": "[Q1: place of birth: Aarle]",
    "a semicolon": "[Q1; place of birth: Aarle]",
    "a bar": "[Q1 | place of birth: Aarle]",
    "a dot at its end": "[Q1, place of birth: Aarle.]",
    "bold marks": "[Q1, **place of birth**: *Aarle*]",
    "small letters": "[q1, place of birth: Aarle]",
}  # fmt: skip


@pytest.mark.parametrize("mark", FORMS.values(), ids=FORMS)
def test_triple_is_read_in_any_form(mark: str) -> None:
    [statement] = bracket_statements(f"Ida Lunde was born in Aarle {mark}")
    [citation] = statement.citations
    assert statement.text == "Ida Lunde was born in Aarle"
    assert citation._replace(entity=citation.entity.upper()) == BORN
    assert not statement.needs_support


@pytest.mark.parametrize(
    "content",
    [
        "Q1, place of birth: Aarle, occupation: geologist",
        "Q1, place of birth: Aarle; occupation: geologist",
        "Q1, place of birth: Aarle | occupation: geologist",
    ],
)
def test_one_bracket_may_hold_several_triples(content: str) -> None:
    assert bracket_citations(content) == [BORN, JOB]


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        ("1", [1]), ("1, 3", [1, 3]), ("1;3", [1, 3]), ("1 and 3", [1, 3]), ("2-4", [2, 3, 4]), ("^2", [2]),
        ("Source 2", [2]), ("#2", [2]), ("triple 2, triple 3", [2, 3]),
    ],
)  # fmt: skip
def test_numbers_are_read(content: str, numbers: list[int]) -> None:
    assert [citation.number for citation in bracket_citations(content)] == numbers


@pytest.mark.parametrize("mark", ["[NA]", "[N/A]", "(NA)", "[na]", "[ NA ]", "[citation needed]"])
def test_missing_support_is_read(mark: str) -> None:
    assert bracket_statements(f"Ida had a dog. {mark}") == [("Ida had a dog.", (), True)]


@pytest.mark.parametrize("iri", ["http://e.org/people#q1", "http://localhost:8080/ida", "https://e.org/a/Q1"])
def test_id_may_be_an_address(iri: str) -> None:
    for content in (f"{iri}, place of birth: Aarle", f"{iri}: place of birth: Aarle"):
        assert bracket_citations(content) == [BORN._replace(entity=iri)]


def test_bracket_with_a_triple_and_na_is_both() -> None:
    [statement] = bracket_statements("Ida was born in Aarle in 1901 [Q1, place of birth: Aarle] [NA].")
    assert (statement.citations, statement.needs_support) == ((BORN,), True)


def test_marks_belong_to_the_sentence_before_them() -> None:
    text = (
        "Ida was born in Aarle. [Q1, place of birth: Aarle] She was a geologist [Q1, occupation: geologist]."
    )
    text += " [NA]"
    assert bracket_statements(text) == [
        ("Ida was born in Aarle.", (BORN,), False),
        ("She was a geologist.", (JOB,), True),
    ]


@pytest.mark.parametrize(
    "text", ["Ida (a geologist) was born in Aarle.", "Ida [sic] was here.", "She won [a prize]."]
)
def test_aside_in_brackets_stays(text: str) -> None:
    assert bracket_statements(text) == [(text, (), False)]
