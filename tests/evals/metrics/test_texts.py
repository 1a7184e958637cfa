"""SARI by hand, n-gram size by n-gram size, and against the value that published tools print."""

import pytest
from hypothesis import given, strategies as st

from rarr import InputError
from rarr.evals.metrics.texts import edit_kinds, is_kind, restored, rouge_l, sari

UNREPEATED = st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True).map(" ".join)
TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7).map(" ".join)


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


def test_published_example() -> None:
    """The READMEs of EASSE and of the metric `sari` of Hugging Face have this example and this value."""
    references = [
        "About 95 species are currently known.",
        "About 95 species are now accepted.",
        "95 species are now accepted.",
    ]
    value = sari("About 95 species are currently accepted.", "About 95 you now get in.", references)
    assert 100 * value == pytest.approx(26.953601953601954)


def test_one_reference() -> None:
    """a b c d -> a b x d, where a person wrote a b x y."""
    add = [
        f1(1, 1 / 2),  # x; x, y were to be added
        f1(1 / 2, 1 / 2),  # bx, xd; bx, xy
        f1(1 / 2, 1 / 2),  # abx, bxd; abx, bxy
        0,  # abxd; abxy
    ]
    keep = [f1(2 / 3, 1), 1, 1, 1]  # a, b, d of which d was to go; ab; nothing of 3 and 4 words
    delete = [1, 1, 1, 1]  # c; bc, cd; abc, bcd; abcd
    expected = (sum(add) + sum(keep) + sum(delete)) / 12
    assert sari("a b c d", "a b x d", ["a b x y"]) == pytest.approx(expected)


def test_two_references_share_what_is_kept_and_deleted() -> None:
    """a b -> a c, where one person wrote a b and another c."""
    add = [1, 0, 1, 1]  # c of c; ac, which nobody wrote
    # Each gram of the source counts twice, once a reference. Of a, kept twice, one reference has it; a and b
    # were to be kept once each. Of ab nothing was kept, where it was to be kept once: 0/0 and 0.
    keep = [f1(1 / 2, 1 / 2), 0, 1, 1]
    delete = [1 / 2, 1 / 2, 1, 1]  # b and ab, which one of the two references keeps
    expected = (sum(add) + sum(keep) + sum(delete)) / 12
    assert sari("a b", "a c", ["a b", "c"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("source", "output", "reference", "score"),
    [
        ("a", "a", "a", 1.0),
        ("", "", "", 1.0),
        ("", "a", "a", 1.0),
        ("a", "", "", 1.0),
        ("a", "b", "c", (3 + 4 + 4) / 12),  # added wrongly; nothing to keep; deleted rightly
        ("a", "a", "b", (3 + 3 + 4) / 12),  # added nothing, kept what should go, deleted nothing
        ("A b.", "a B.", "a b.", 1.0),  # letter case is ignored
        ("5,000 a-b 3-4 x.", "5,000 a-b 3 - 4 x .", "5,000 a-b 3-4 x.", 1.0),  # as mteval-v13a splits
        ("いぬ", "い ぬ", "い ぬ", 1.0),
    ],
)
def test_short_texts(source: str, output: str, reference: str, score: float) -> None:
    assert sari(source, output, [reference]) == pytest.approx(score)


def test_references_are_needed() -> None:
    with pytest.raises(InputError, match="at least one reference"):
        sari("a", "b", [])


@given(UNREPEATED, UNREPEATED)
def test_the_reference_itself_has_1(source: str, reference: str) -> None:
    assert sari(source, reference, [reference]) == 1


@pytest.mark.parametrize(
    ("before", "after", "preservation", "kinds"),
    [
        (0.5, 0.9, 0.8, {"good"}),
        (0.3, 0.6, 0.8, set()),  # a rise of 0.3 is not above its limit, whatever the rounding
        (0.95, 0.5, 0.4, {"huge", "bad", "unnecessary"}),
        (0.9, 0.8, 0.5, set()),
        (0.9, 0.7, 0.5, {"bad"}),
        (None, 0.5, 0.4, {"huge"}),
        (0.5, 0.9, None, set()),
    ],
)
def test_kinds_of_a_revision_by_purr(
    before: float | None, after: float | None, preservation: float | None, kinds: set[str]
) -> None:
    assert edit_kinds(before, after, preservation) == kinds
    assert is_kind("good", None, 0.5, 0.9) is None


def test_rouge_l_and_restored() -> None:
    pytest.importorskip("rouge_score")
    assert rouge_l("The cat sat.", "the CAT sat") == 1
    assert rouge_l("a b c d", "a x c") == pytest.approx(2 * 2 / 7)
    assert (rouge_l("", ""), rouge_l("a", "")) == (1, 0)
    assert restored("a  b\n", "a b") and not restored("A b", "a b")
