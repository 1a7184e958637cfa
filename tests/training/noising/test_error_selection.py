"""Which errors of a model can be put into a text, and which kinds it is asked for."""

from collections import Counter

import pytest

from rarr import prompts
from rarr.backends.prompted.noising import KINDS, PlantedError
from rarr.tools.text.blocks_and_sentences import Span, sentences
from rarr.training.noised import moved
from rarr.training.rows import corrupted, fitting, kinds_for

TEXT = "The mill opened in 1937 and has 37 looms. It burned in 1950, and 3.5 tons were lost."


def fitted(*errors: tuple[str, str]) -> list[tuple[str, str]]:
    given = [PlantedError(right=right, wrong=wrong, kind="other") for right, wrong in errors]
    return [(error.right, error.wrong) for error in fitting(TEXT, sentences(TEXT), given)]


def test_errors_replace_the_right_words() -> None:
    errors = [
        PlantedError(right=r, wrong=w, kind="date") for r, w in [("in 1950", "in 1905"), (" 1937", "1,973 ")]
    ]
    planted = fitting(TEXT, sentences(TEXT), errors)
    assert [error.start for error in planted] == [19, 52]
    wrong = corrupted(TEXT, planted)
    assert wrong == TEXT.replace("in 1950", "in 1905").replace("1937", "1,973")
    assert [moved(span, planted).of(wrong) for span in sentences(TEXT)] == [
        span.of(wrong) for span in sentences(wrong)
    ]


@pytest.mark.parametrize(
    "error",
    [
        ("", "1"),
        ("1950", " "),
        ("mill", "Mill"),
        ("in 1999", "in 2000"),
        ("in", "at"),
        ("193", "194"),
        ("950", "951"),
        ("3.5 ton", "4 ton"),
        ("looms. It", "rooms. It"),
    ],
)
def test_errors_without_a_place_are_left_out(error: tuple[str, str]) -> None:
    assert fitted(error, ("1937", "1973")) == [("1937", "1973")]


def test_errors_do_not_overlap() -> None:
    assert fitted(("opened in 1937", "shut in 1937"), ("in 1937", "in 1938")) == [
        ("opened in 1937", "shut in 1937")
    ]


def test_kinds_follow_from_the_query_and_all_are_asked_for() -> None:
    assert kinds_for("a") == kinds_for("a")
    asked = Counter(kind for n in range(300) for kind in kinds_for(f"query {n}"))
    assert set(asked) == set(KINDS)
    assert min(asked.values()) > 30


def test_kinds_are_those_of_the_prompt() -> None:
    schema = prompts.load("corrupt").output["properties"]["errors"]["items"]
    assert schema["properties"]["kind"]["enum"] == list(KINDS)


def test_sentence_before_an_error_does_not_move() -> None:
    planted = fitting(TEXT, sentences(TEXT), [PlantedError(right="1950", wrong="May 1950", kind="date")])
    assert moved(Span(0, 41), planted) == (0, 41)
