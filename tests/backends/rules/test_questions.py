import re

import pytest
from hypothesis import given, strategies as st

from rarr.backends.rules.questions import RuleQuestions, askable_values, value_question, value_questions
from rarr.backends.rules.standalone_claims import claims


async def questions(text: str, context: str | None = None) -> list[tuple[str, str]]:
    return [(text[q.start : q.end], q.text) for q in value_questions(text, context)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("The Hoover Dam opened in 1936.", ("1936", "The Hoover Dam opened when?")),
        ("The Hoover Dam is 221 m high.", ("221", "The Hoover Dam is how many m high?")),
        ("The Hoover Dam cost $49 million.", ("$49 million", "The Hoover Dam cost how much money?")),
        ("It leaves at 13:20.", ("13:20", "It leaves at what time of day?")),
        ("Paris was the 3rd stop.", ("3rd", "Paris was which number in order stop?")),
        ("Paris met on 27 May.", ("27 May", "Paris met on which day?")),
        ("Paris lies in the north.", ("north", "Paris lies in which direction?")),
        ("Bob Smith wrote “Old Days” there.", ("Old Days", "Bob Smith wrote what title there?")),
        ("Bob Smith met Ann Lee.", ("Ann Lee", "Bob Smith met whom or what?")),
        ("The chief was Ann Lee.", ("Ann Lee", "Who or what was the chief?")),
        ("The dam was built in 1936 there.", ("1936", "When was the dam built there?")),
        ("On 27 May, it was opened.", ("27 May", "On which day was it opened?")),
        ("The dam had been planned in 1936.", ("1936", "When had the dam been planned?")),
        ("The parties got 41% there.", ("41", "The parties got how many percent there?")),
        ("They read Ann Lee's diary.", ("Ann Lee", "They read whose diary?")),
        ("There are boats on Mud Lake.", ("Mud Lake", "There are boats on whom or what?")),
    ],
)
async def test_question_asks_for_a_value(text: str, asked: tuple[str, str]) -> None:
    assert await questions(text) == [asked]


async def test_question_carries_the_subject_over() -> None:
    assert await questions("The Hoover Dam is large. It opened in 1936.") == [
        ("1936", "Hoover Dam opened when?")
    ]


async def test_question_stays_within_a_clause_that_is_long_enough() -> None:
    text = "Bob Smith drew plans in 1930; Ann Lee built the long concrete bridge across Mud River in 1936."
    assert dict(await questions(text))["1936"].endswith(
        "Ann Lee built the long concrete bridge across Mud River when?"
    )


async def test_a_short_clause_is_asked_in_its_sentence() -> None:
    [(_, question), _] = await questions("The Hoover Dam opened in 1936; it closed in 1990.")
    assert question == "The Hoover Dam opened when; it closed in 1990?"


@pytest.mark.parametrize(
    "text",
    [
        "It stands [3, 4].",
        "It stands at https://a.example/1936 now.",
        "It stands `in 1936` now.",
        "[It](https://a.example/1936) stands.",
        "```\nin 1936\n```",
        "It stands (Smith, 1936).",
    ],
)
async def test_no_question_is_about_citations_or_code(text: str) -> None:
    assert await questions(text) == []


async def test_value_repeated_in_markup_is_not_given_away() -> None:
    [(_, question)] = await questions("The dam of 1936, or _1936_, stands.")
    assert "1936" not in question


SUBJECTS = ["The Hoover Dam", "Marie Curie", "It", "In Paris, she", "*Moby Dick*"]
VERBS = ["opened in", "has about", "was, which is odd,", "won and lost", "met _once_,"]
VALUES = [
    "1936",
    "27 May 1937",
    "twelve",
    "$5 million",
    "“Old Days”",
    "Ann Lee",
    "the north",
    "30 km",
    "1930s",
]
SENTENCE = st.tuples(*map(st.sampled_from, (SUBJECTS, VERBS, VALUES, VERBS, VALUES))).map(" ".join)


@given(st.lists(SENTENCE, min_size=1, max_size=3).map(lambda parts: ". ".join(parts) + "."))
def test_question_never_contains_its_value(text: str) -> None:
    for claim in claims(text, None):
        for value, place in askable_values(text, claim):
            pattern = rf"(?<!\w){re.escape(place.of(text))}(?!\w)"
            assert not re.search(pattern, value_question(claim, value), re.IGNORECASE)


@given(st.text())
async def test_any_text_can_be_asked_about(text: str) -> None:
    for question in await RuleQuestions().generate(text, text[:20]):
        assert 0 <= question.start < question.end <= len(text)
