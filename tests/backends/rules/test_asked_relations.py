"""What a question asks for, by its words."""

import pytest

from rarr.backends.rules.asked_relations import (
    answers,
    asked_relations,
    clauses,
    is_core,
    is_general,
    is_telling,
)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Where was Ida Lunde born?", ["place of birth"]),
        ("Where was Ida born and when did she die?", ["place of birth", "date of death"]),
        ("Who was the father of Ida Lunde?", ["father"]),
        ("Who wrote Frankenstein?", ["author"]),
        ("How high is the dam?", ["height"]),
        ("Tell me about her family.", ["family"]),
        ("What was her career?", ["career"]),
        ("What colour is it?", []),
    ],
)
def test_common_relations_and_themes_are_found(question: str, words: list[str]) -> None:
    assert [each.words for each in asked_relations(question)] == words


def test_theme_gives_way_to_a_relation_of_its_own() -> None:
    assert [each.words for each in asked_relations("What family had she, and who was her father?")] == [
        "father"
    ]


def test_uncommon_relation_is_found_by_its_own_words() -> None:
    [asked] = asked_relations("What is the warranty period of the pump?", ["warrantyPeriod", "weight"])
    assert answers("warrantyPeriod", asked)
    assert not answers("weight", asked)


def test_any_name_of_a_relation_answers() -> None:
    [asked] = asked_relations("Where was Ida born?")
    assert answers("birthPlace", asked)
    assert answers("place of birth", asked)
    assert not answers("place of death", asked)


@pytest.mark.parametrize(
    ("question", "general"),
    [
        ("Who was Ida Lunde?", True),
        ("What is the Hoover Dam?", True),
        ("Give a brief overview of her life.", True),
        ("Who was the father of Ida?", False),
        ("Who was born in Aarle?", False),
    ],
)
def test_overview_is_told_from_a_single_question(question: str, *, general: bool) -> None:
    assert is_general(question) is general


def test_question_is_divided_at_what_it_asks_next() -> None:
    assert clauses("Where was she born, and when did she die?") == ["Where was she born", "when did she die"]
    assert clauses("Who were Ida and Ole?") == ["Who were Ida and Ole"]


def test_dull_relations_stay_out_of_an_overview() -> None:
    assert not is_telling("sex or gender")
    assert is_telling("record label")
    assert is_core("dateOfBirth")
