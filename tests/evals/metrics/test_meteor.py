"""METEOR of small texts, computed by hand."""

import pytest

from rarr.evals.metrics import meteor


def expected(matches: int, words: int, wanted: int, pieces: int) -> float:
    """F = 10PR / (R + 9P), less half of the cube of the pieces for each match (Banerjee and Lavie 2005)."""
    precision, recall = matches / words, matches / wanted
    f_mean = 10 * precision * recall / (recall + 9 * precision)
    return f_mean * (1 - 0.5 * (pieces / matches) ** 3)


@pytest.mark.parametrize(
    ("output", "reference", "counts"),
    [
        ("the cat sat on a mat", "the cat sat on a mat", (6, 6, 6, 1)),
        ("the cat sat", "the cat sat on a mat", (3, 3, 6, 1)),
        ("on a mat sat the cat", "the cat sat on a mat", (6, 6, 6, 3)),
        ("The cats sat.", "the cat sat", (3, 3, 3, 1)),
    ],
)
def test_meteor_is_that_computed_by_hand(output: str, reference: str, counts: tuple[int, ...]) -> None:
    assert meteor(output, reference) == pytest.approx(expected(*counts))


@pytest.mark.parametrize(("output", "reference"), [("", "a cat"), ("a cat", ""), ("dog", "cat"), ("…", "…")])
def test_texts_without_a_common_word_have_0(output: str, reference: str) -> None:
    assert meteor(output, reference) == 0.0


def test_synonyms_do_not_match() -> None:
    assert meteor("big", "large") == 0.0
