"""Preservation and F1_AP, by the worked examples that define them."""

import pytest
from hypothesis import given, strategies as st

from rarr.evals.metrics import f1_ap, pres_comb, pres_lev


@pytest.mark.parametrize(
    ("original", "revised", "kept"),
    [
        ("peach", "peach", 1.0),
        ("peach", "beach", 1 - 1 / 5),  # one of five characters
        ("1969", "1972", 1 - 2 / 4),
        ("ab", "", 1 - 2 / 2),
        ("ab", "wxyz", 0.0),  # four changes of two characters: never below 0
        ("abcd", "abcdefgh", 1 - 4 / 4),
        ("☃☃☃☃", "☃☃☃", 1 - 1 / 4),  # characters, not bytes
        ("", "", 1.0),
        ("", "something", 0.0),
    ],
)
def test_pres_lev(original: str, revised: str, kept: float) -> None:
    assert pres_lev(original, revised) == pytest.approx(kept)


@pytest.mark.parametrize(
    ("intent", "lev", "both"),
    [
        (True, 0.8, 0.8),
        (False, 0.8, 0.0),
        (2 / 3, 0.9, 2 / 3 * 0.9),  # two judges of three
        (None, 0.8, None),
        (1.0, 0.0, 0.0),
    ],
)
def test_pres_comb(intent: float | None, lev: float, both: float | None) -> None:
    assert pres_comb(intent, lev) == (None if both is None else pytest.approx(both))


@pytest.mark.parametrize(
    ("attributed", "kept", "f1"),
    [
        (1.0, 1.0, 1.0),
        (0.5, 1.0, 2 * 0.5 * 1.0 / 1.5),
        (0.6, 0.9, 2 * 0.6 * 0.9 / 1.5),
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 0.0),
        (None, 1.0, None),
        (1.0, None, None),
    ],
)
def test_f1_ap(attributed: float | None, kept: float | None, f1: float | None) -> None:
    assert f1_ap(attributed, kept) == (None if f1 is None else pytest.approx(f1))


@given(st.text(), st.text())
def test_pres_lev_lies_between_0_and_1_and_only_equal_texts_have_1(original: str, revised: str) -> None:
    kept = pres_lev(original, revised)
    assert 0 <= kept <= 1
    assert (kept == 1) == (original == revised)


@given(st.floats(0, 1), st.floats(0, 1))
def test_pres_comb_is_at_most_either(intent: float, lev: float) -> None:
    both = pres_comb(intent, lev)
    assert both is not None
    assert 0 <= both <= min(intent, lev)


@given(st.floats(0, 1), st.floats(0, 1))
def test_f1_ap_lies_between_its_parts(attributed: float, kept: float) -> None:
    f1 = f1_ap(attributed, kept)
    assert f1 is not None
    assert min(attributed, kept) - 1e-9 <= f1 <= max(attributed, kept) + 1e-9
    assert f1 == f1_ap(kept, attributed)
