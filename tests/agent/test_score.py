"""`rarr.score`: rules for values first, then the head; minimal pairs of answers are ordered right."""

import pytest

import rarr
from rarr.backends.encoder.answer_score import in_words_of_reference

PAIRS = [
    ("How long did the trip take?", "18 days", "It took 18 days.", "It took 19 days."),
    ("Which side of the river is it on?", "the north side", "On the north side.", "On the south side."),
    ("How high is the dam?", "221 metres", "The dam is 221 m high.", "The dam is 231 m high."),
    ("When did she die?", "4 March 1931", "She died on March 4, 1931.", "She died on March 14, 1931."),
    ("Who wrote Green Ice?", "Tom Berg", "It was written by Tom Berg.", "It was written by Ida Lunde."),
    ("Who paid for it?", "the city", "The city paid for it.", "A rich farmer paid for it."),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("question", "reference", "better", "worse"), PAIRS)
def test_minimal_pair_is_ordered_right(question: str, reference: str, better: str, worse: str) -> None:
    assert rarr.score(better, reference, question).score > rarr.score(worse, reference, question).score


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("The dam is 221 m high.", "221 metres", "The dam is 221 metres high."),
        ("She died on March 4, 1931.", "4 March 1931", "She died on 4 March 1931."),
        ("It is 231 m high.", "221 metres", "It is 231 m high."),
        ("Tom Berg wrote it.", "T. Berg", "Tom Berg wrote it."),
    ],
)
def test_equal_value_is_compared_in_the_words_of_the_reference(
    answer: str, reference: str, expected: str
) -> None:
    assert in_words_of_reference(answer, reference) == expected


@pytest.mark.slow
def test_equal_value_in_another_unit_word_is_right() -> None:
    assert rarr.score("The dam is 221 m high.", "221 metres", "How high is the dam?").score > 0.5


@pytest.mark.slow
def test_other_value_scores_0_by_rules() -> None:
    scored = rarr.score("It took 19 days.", "18 days", "How long did it take?")
    assert (scored.score, scored.by_rules, scored.reason) == (0.0, True, "'19 days' is not '18 days'")


@pytest.mark.slow
def test_value_of_the_question_is_not_compared() -> None:
    question = "How many people lived there in 2010?"
    assert rarr.score("In 2010, 820 people lived there.", "820", question).score > 0


def test_same_words_score_1_without_the_encoder() -> None:
    scored = rarr.score("The Tom Berg.", ["Ida Lunde", "Tom Berg"][1:])
    assert (scored.score, scored.reference, scored.by_rules) == (1.0, "Tom Berg", True)


@pytest.mark.slow
def test_best_reference_counts() -> None:
    assert rarr.score("Tom Berg", ["Ida Lunde", "Tom Berg"]).reference == "Tom Berg"


@pytest.mark.parametrize(
    ("answer", "references"), [("", "Tom Berg"), ("Tom Berg", []), ("Tom Berg", [" "]), ("Tom Berg", 3)]
)
def test_wrong_call_is_refused(answer: str, references: object) -> None:
    with pytest.raises(rarr.InputError):
        rarr.score(answer, references)  # type: ignore[arg-type]  # the wrong call
