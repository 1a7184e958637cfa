"""Answers that contradict their reference: another value, denial, two answers, exchanged roles."""

import pytest

from rarr.backends.encoder.answer_score import ruled_score
from rarr.backends.rules.answer_contradictions import contradiction, with_unit_of_reference


@pytest.mark.parametrize(
    ("answer", "reference", "question"),
    [
        ("It is not 26 metres long.", "26 metres", "How long is it?"),
        ("The gates were replaced in 2019, not in 2003.", "2003", "When were the gates replaced?"),
        ("It was not written by Tom Berg.", "Tom Berg", "Who wrote it?"),
        ("It was Ida Lunde, not Tom Berg.", "Tom Berg", "Who wrote it?"),
        ("The city did not pay for it.", "the city", "Who paid for it?"),
        ("It must be run dry.", "It must not be run dry.", ""),
    ],
)
def test_denial_of_the_reference_scores_0(answer: str, reference: str, question: str) -> None:
    found = contradiction(answer, reference, question)
    assert found is not None and found.score == 0
    assert found.reason == f"it denies {reference!r}"


@pytest.mark.parametrize(
    ("answer", "reference", "question"),
    [
        ("The gates were replaced in 2003, not in 2019.", "2003", "When were the gates replaced?"),
        ("It was none other than Tom Berg.", "Tom Berg", "Who wrote it?"),
        ("It was Tom Berg, not Ida Lunde.", "Tom Berg", "Who wrote it?"),
        ("Those who did not vote were Tom Berg and Ida Lunde.", "Tom Berg", "Who did not vote?"),
        ("Tom Berg broke it in 1983, not 1990.", "Tom Berg", "Who broke it in 1990?"),
        ("The city paid for it.", "the city", "Who paid for it?"),
        ("228 minutes or 3 hours and 48 minutes", "228 minutes", ""),
        ("two or three", "two or three", ""),
        ("To the Elysian Fields or the Isles of the Blessed.", "Elysian Fields", ""),
    ],
)
def test_answer_that_denies_something_else_is_no_contradiction(
    answer: str, reference: str, question: str
) -> None:
    assert contradiction(answer, reference, question) is None


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("27 days or 30 days", "27 days"),
        ("either 27 or 30 days", "27 days"),
        ("27 or 30", "27 days"),
        ("It was either Tom Berg or Ida Lunde.", "Tom Berg"),
        ("Tom Berg, or perhaps Ida Lunde", "Tom Berg"),
    ],
)
def test_two_answers_score_a_quarter(answer: str, reference: str) -> None:
    found = ruled_score(answer, reference, None)
    assert found is not None and found.score == 0.25
    assert found.reason.endswith("the answer does not decide")


@pytest.mark.parametrize(
    ("answer", "score", "reason"),
    [
        ("Elm was beaten by Hay.", 0.0, "the same words with exchanged roles"),
        ("Elm beat Hay.", 1.0, "the same words"),
        ("Hay was beaten by Elm.", 1.0, "the same in the passive"),
    ],
)
def test_roles_decide(answer: str, score: float, reason: str) -> None:
    found = ruled_score(answer, "Elm beat Hay.", None)
    assert found is not None and (found.score, found.reason) == (score, reason)


def test_passive_with_a_further_word_is_not_the_same() -> None:
    assert ruled_score("Hay may be beaten by Elm.", "Elm beat Hay.", None) is None


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("86 grams", "'86 grams' is not '86 kg'"),
        ("5", "'5 kg' is not '86 kg'"),
    ],
)
def test_reason_shows_the_unit(answer: str, reason: str) -> None:
    found = ruled_score(answer, "86 kg", None)
    assert found is not None and (found.score, found.reason) == (0.0, reason)


def test_sign_of_a_number_counts_although_words_are_compared_without_it() -> None:
    found = ruled_score("5 °C", "-5 °C", None)
    assert found is not None and found.score == 0


@pytest.mark.parametrize(
    "answer", ["minus five degrees Celsius", "five degrees below zero", "5 °C below zero"]
)
def test_number_below_zero_is_read(answer: str) -> None:
    assert contradiction(with_unit_of_reference(answer, "-5 °C"), "-5 °C", "") is None
    found = ruled_score(answer, "5 °C", None)
    assert found is not None and found.score == 0


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ("27", "27 days"),
        ("It is 27.", "It is 27 days."),
        ("27 people", "27 people"),
        ("27 weeks", "27 weeks"),
        ("27 on page 3", "27 on page 3"),
    ],
)
def test_bare_number_has_the_unit_of_the_reference(answer: str, written: str) -> None:
    assert with_unit_of_reference(answer, "27 days") == written


@pytest.mark.parametrize(("answer", "score"), [("27", 1.0), ("27 days", 1.0), ("27 weeks", 0.0), ("28", 0.0)])
def test_bare_reference_has_the_unit_of_the_question(answer: str, score: float) -> None:
    found = ruled_score(answer, "27", "How many days of leave do staff have?")
    assert found is not None and found.score == score


def test_question_without_a_unit_gives_none() -> None:
    found = ruled_score("27 people", "27", "How many people work there?")
    assert found is None
