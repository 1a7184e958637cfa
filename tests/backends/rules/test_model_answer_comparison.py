"""An answer read without the text is compared in code, and contradicts only where nothing explains it."""

import pytest
from makers import evidence

from rarr.backends.rules.model_answer_comparison import (
    ComparedAnswer,
    compared_answer,
    verdict_unread,
)
from rarr.records import Query


def compared(text: str, value: str, passage: str, answer: str) -> ComparedAnswer:
    start = text.index(value)
    query = Query(id="q1", text="?", start=start, end=start + len(value))
    return compared_answer(text, None, query, evidence(passage), answer)


SAME = [
    (
        "The Orrel Dam opened in 1936.",
        "1936",
        "The Orrel Dam was opened on 2 May 1936.",
        "2 May 1936",
    ),
    (
        "The Orrel Dam is 221 m high.",
        "221",
        "The Orrel Dam is 726 feet high.",
        "726 feet",
    ),
    (
        "The Orrel Dam has seventeen gates.",
        "seventeen",
        "The Orrel Dam has 17 gates.",
        "17",
    ),
    (
        "The Orrel Dam was designed by Ida Lunde.",
        "Ida Lunde",
        "The Orrel Dam was designed by I. Lunde.",
        "I. Lunde",
    ),
    (
        "Mead Lake lies in the northern part.",
        "northern",
        "Mead Lake lies in the north of the park.",
        "north",
    ),
]
OTHER = [
    (
        "The Orrel Dam opened in 1935.",
        "1935",
        "The Orrel Dam opened on 2 May 1936.",
        "2 May 1936",
        "2 May 1936",
    ),
    (
        "The Orrel Dam is 321 m high.",
        "321",
        "The Orrel Dam is 726 feet high.",
        "726 feet",
        "726 feet",
    ),
    (
        "The Orrel Dam grew by 41%.",
        "41",
        "The Orrel Dam grew by 14 percent.",
        "14%",
        "14 percent",
    ),
    (
        "The Orrel Dam was designed by Ida Lunde.",
        "Ida Lunde",
        "The Orrel Dam was designed by Tomas Brandl.",
        "Tomas Brandl",
        "Tomas Brandl",
    ),
    (
        "Mead Lake lies in the southern part.",
        "southern",
        "Mead Lake lies in the northern part.",
        "northern part",
        "northern",
    ),
    (
        "The Orrel Dam is 8,884 metres long.",
        "8,884",
        "The Orrel Dam is 8,848 metres long. From end to end it is about 9 km.",
        "8,848 metres",
        "8,848 metres",
    ),
]
NO_REASON = [
    (
        "The Orrel Dam opened in 1935.",
        "1935",
        "The Glen Dam opened in 1936.",
        "1936",
        "another subject",
    ),
    (
        "In 2010, Norvik had 820 residents.",
        "820",
        "In 2020, Norvik had 915 residents.",
        "915",
        "another time",
    ),
    (
        "The dam was planned by Ida Lunde and Tomas Brandl.",
        "Ida Lunde",
        "The dam was planned by Clara Holm and Tomas Brandl.",
        "Clara Holm",
        "half of a pair",
    ),
    (
        "Of the houses by Orrel, 3 out of 10 are old.",
        "3",
        "Of the houses by Orrel, 2 out of 10 are old.",
        "2",
        "half of a pair",
    ),
    (
        "The Orrel Dam was designed by Ida Lunde, who came from Bodvik.",
        "Ida Lunde",
        "The Orrel Dam was designed in Bodvik by a woman.",
        "Bodvik",
        "the sentence says the answer of another thing",
    ),
    (
        "Ida Lunde, who led the survey, visited Orrel.",
        "Orrel",
        "Ida Lunde visited Anna Reis.",
        "Anna Reis",
        "another kind",
    ),
    (
        "Had it gone as planned, the Orrel Dam would have opened in 1935.",
        "1935",
        "The Orrel Dam opened in 1936.",
        "1936",
        "plan or a supposition",
    ),
    (
        "Its profit rose by 6 percent in the same year.",
        "6",
        "In 2022 its profit rose by 9 percent.",
        "9 percent",
        "time by another sentence",
    ),
    (
        "There are twelve lines on the Orrel Tram.",
        "Orrel Tram",
        "The hours of the Kestrel Library are long.",
        "Kestrel Library",
        "too little else",
    ),
]


@pytest.mark.parametrize(("text", "value", "passage", "answer"), SAME)
def test_the_same_value_in_another_form_agrees(text: str, value: str, passage: str, answer: str) -> None:
    assert compared(text, value, passage, answer).agreement.verdict == "agrees"


@pytest.mark.parametrize(("text", "value", "passage", "answer", "words"), OTHER)
def test_another_value_disagrees(text: str, value: str, passage: str, answer: str, words: str) -> None:
    agreement = compared(text, value, passage, answer).agreement
    assert (agreement.verdict, agreement.text_answer, agreement.evidence_answer) == (
        "disagrees",
        value,
        words,
    )


@pytest.mark.parametrize(("text", "value", "passage", "answer", "reason"), NO_REASON)
def test_explained_difference_is_a_doubt(
    text: str, value: str, passage: str, answer: str, reason: str
) -> None:
    answered = compared(text, value, passage, answer)
    assert answered.agreement.verdict == "unknown" or answered.doubt
    assert reason in f"{answered.agreement.reason} {answered.doubt}"
    assert not answered.doubt or answered.is_sound_but_for_wording == ("too little else" in reason)


@pytest.mark.parametrize("answer", ["not stated", "Not stated.", "", "none", "N/A"])
def test_no_answer_is_irrelevant(answer: str) -> None:
    assert compared("It has 9 gates.", "9", "It has gates.", answer).agreement.verdict == "irrelevant"


def test_an_answer_that_is_not_in_the_passage_is_no_answer() -> None:
    agreement = compared("The dam has 9 gates.", "9", "The dam has many gates.", "12").agreement
    assert agreement.verdict == "unknown"
    assert "does not stand in the evidence" in agreement.reason


def test_a_query_about_no_value_is_left_unknown() -> None:
    agreement = compared(
        "The dam looks grand at dusk.", "grand at dusk", "The dam looks dull.", "dull"
    ).agreement
    assert (agreement.verdict, agreement.text_answer) == ("unknown", "grand at dusk")


def test_a_query_about_no_value_is_not_read() -> None:
    text = "The Orrel Dam is a marvel of its time."
    query = Query(id="q1", text="What is the Orrel Dam?", start=0, end=len(text))
    unread = verdict_unread(text, None, query, evidence("The Orrel Dam is a wall of stone."))
    assert unread is not None
    assert unread.verdict == "unknown"


@pytest.mark.parametrize(
    ("text", "value", "passage", "title"),
    [
        (
            "# The Orrel Dam\n\nThe head builder was Ida Lunde.\n",
            "Ida Lunde",
            "The Mead Dam was begun in 1931. Ida Lunde was the head builder of the Mead Dam.",
            "Mead Dam",
        ),
        (
            "# Corvel Ferry\n\nThe captain is Otto Brandt.\n",
            "Otto Brandt",
            "The Sund Ferry sails at noon. Otto Brandt is captain of the Sund Ferry. The fare is low.",
            "Sund Ferry",
        ),
        (
            "# Almery Museum\n\nIts first director was Rosa Quint.\n",
            "Rosa Quint",
            "Rosa Quint was the first director of the Harbour Museum. The house has a café.",
            "Harbour Museum",
        ),
    ],
)
def test_the_same_value_of_another_thing_does_not_agree(
    text: str, value: str, passage: str, title: str
) -> None:
    start = text.index(value)
    query = Query(id="q1", text="?", start=start, end=start + len(value))
    source = evidence(passage).model_copy(update={"title": title})
    assert compared_answer(text, None, query, source, value).agreement.verdict == "unknown"


def test_a_passage_about_something_else_is_not_read() -> None:
    text = "The Orrel Dam opened in 1935."
    query = Query(id="q1", text="The Orrel Dam opened when?", start=24, end=28)
    assert verdict_unread(text, None, query, evidence("The Orrel Dam opened in 1936.")) is None
    unread = verdict_unread(text, None, query, evidence("Bread rises for an hour, then bakes."))
    assert unread is not None and unread.verdict == "irrelevant"


@pytest.mark.parametrize(
    ("title", "verdict"), [("Glen Canyon", "unknown"), ("The Humber", "disagrees"), ("", "disagrees")]
)
def test_page_with_an_unnamed_subject_does_not_decide(title: str, verdict: str) -> None:
    text = "The Humber has a bridge. Cars have used the bridge since June 1981."
    query = Query(id="q1", text="?", start=text.index("June"), end=text.index("June") + 9)
    passage = evidence("All cars have used the bridge since May 1937.").model_copy(update={"title": title})
    assert compared_answer(text, None, query, passage, "May 1937").agreement.verdict == verdict


MOVED = (
    "The band moved to Orrel in 1998.",
    "1998",
    "The band moved to Orrel in 2004. It was formed in 1998.",
)


def test_passage_that_says_both_values_is_doubted() -> None:
    answer = compared(*MOVED, "2004")
    assert (answer.agreement.verdict, answer.agreement.evidence_answer) == ("disagrees", "2004")
    assert answer.doubt == "the evidence says the text's value as well"
    assert not answer.is_sound_but_for_wording
