"""Corrections against human revisions, by hand."""

import pytest
from hypothesis import given, strategies as st

from rarr.evals.metrics import (
    Correction,
    WordEdits,
    in_all,
    restored,
    word_edits,
)

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "1.5", "."]), max_size=6).map(" ".join)
WRONG = "It opened in 1931."
RIGHT = "It opened in 1937."


@pytest.mark.parametrize(
    ("output", "is_restored"),
    [(RIGHT, True), (" It  opened\nin 1937. ", True), (WRONG, False), ("It opened in 1937", False)],
)
def test_restored_up_to_white_space(output: str, is_restored: bool) -> None:
    assert restored(output, RIGHT) is is_restored


@pytest.mark.parametrize(
    ("row", "edits"),
    [
        (Correction(WRONG, RIGHT, RIGHT), WordEdits(matched=2, made=2, wanted=2)),  # -1931 +1937
        (Correction(WRONG, "It opened in 1938.", RIGHT), WordEdits(1, 2, 2)),  # out with 1931 was right
        (Correction(WRONG, "It closed in 1937.", RIGHT), WordEdits(2, 4, 2)),  # -opened +closed too
        (Correction(WRONG, WRONG, RIGHT), WordEdits(0, 0, 2)),
        (Correction(RIGHT, WRONG, RIGHT), WordEdits(0, 2, 0)),
        (Correction("", "", ""), WordEdits(0, 0, 0)),
        (Correction("", "new", "new"), WordEdits(1, 1, 1)),
        (Correction("a b c", "c a b", "a b c"), WordEdits(0, 2, 0)),  # moved: out once, in once
        (Correction("the cat the", "the cat", "cat the"), WordEdits(1, 1, 1)),  # which "the" is not asked
        (Correction("1,200 men", "1,300 men", "1,300 men"), WordEdits(2, 2, 2)),  # a number is one word
        (Correction("他在年", "他去年", "他去年"), WordEdits(2, 2, 2)),  # a character is one word
    ],
)
def test_word_edits(row: Correction, edits: WordEdits) -> None:
    assert word_edits(row) == edits


@pytest.mark.parametrize(
    ("edits", "ratios"),
    [
        (WordEdits(1, 2, 4), (1 / 2, 1 / 4, 2 * 1 / (2 + 4))),
        (WordEdits(0, 0, 2), (None, 0.0, 0.0)),
        (WordEdits(0, 2, 0), (0.0, None, 0.0)),
        (WordEdits(0, 0, 0), (None, None, None)),
    ],
)
def test_ratios_of_word_edits(edits: WordEdits, ratios: tuple[float | None, ...]) -> None:
    assert (edits.precision, edits.recall, edits.f1) == ratios


def test_word_edits_add_up() -> None:
    rows = [Correction(WRONG, "It opened in 1938.", RIGHT), Correction(WRONG, WRONG, RIGHT)]
    assert in_all([word_edits(row) for row in rows]) == WordEdits(1, 2, 4)
    assert in_all([]) == WordEdits(0, 0, 0)


@given(TEXTS, TEXTS, TEXTS)
def test_ratios_lie_between_0_and_1(source: str, output: str, reference: str) -> None:
    edits = word_edits(Correction(source, output, reference))
    ratios = [ratio for ratio in (edits.precision, edits.recall, edits.f1) if ratio is not None]
    assert all(0 <= ratio <= 1 for ratio in ratios)


@given(TEXTS, TEXTS)
def test_doing_what_the_person_did_is_perfect(source: str, reference: str) -> None:
    edits = word_edits(Correction(source, reference, reference))
    assert edits.matched == edits.made == edits.wanted
    assert (edits.f1 is None) == (source == reference)


@pytest.mark.slow
@given(TEXTS, TEXTS, TEXTS)
def test_swapping_system_and_person_swaps_precision_and_recall(source: str, system: str, person: str) -> None:
    edits, swapped = (
        word_edits(Correction(source, system, person)),
        word_edits(Correction(source, person, system)),
    )
    assert (edits.precision, edits.recall) == (swapped.recall, swapped.precision)
