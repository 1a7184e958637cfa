"""Short answers beside right ones."""

import pytest

from rarr.evals.metrics.answers import answer_score, exact_match, is_same_answer, token_f1


def test_words_are_compared_as_in_squad() -> None:
    assert exact_match("The Alder Mill.", "alder mill")
    assert not exact_match("1.5", "1 5")
    assert not exact_match("the", "a")


def test_f1_of_two_common_words_of_three_and_four() -> None:
    assert token_f1("red old mill", "old red brick mills") == pytest.approx(4 / 7)
    assert token_f1("", "mill") == 0


def test_value_in_another_form_is_the_same_answer() -> None:
    assert is_same_answer("in 0.221 km", "221 m")
    assert not is_same_answer("221 m", "222 m")


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("It is 221 metres high.", 1.0),
        ("It is 212 metres high.", 0.0),
        ("It is high.", 0.0),
        ("", 0.0),
    ],
)
def test_answer_without_the_right_value_has_no_share(answer: str, score: float) -> None:
    assert answer_score(answer, ["221 m"]) == score


def test_best_reference_counts() -> None:
    assert answer_score("Burned by fires", ["a flood", "a fire"]) == 1.0
    assert answer_score("Ida Lunde", ["Ida Berg"]) == 0.5
