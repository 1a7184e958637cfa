"""PURR's kinds of edits, at and beside their limits."""

import pytest
from hypothesis import given, strategies as st

from rarr.evals.metrics import EDIT_KINDS, EditKind, edit_kinds, is_kind

SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("before", "after", "kept", "kinds"),
    [
        (0.5, 0.5, 1.0, set()),  # nothing changed
        (0.5, 0.5, 0.5, set()),
        (0.5, 0.5, 0.49, {"huge"}),
        (0.5, 0.39, 0.9, {"bad"}),
        (0.95, 0.8, 0.9, {"bad", "unnecessary"}),
        (0.95, 0.8, 0.2, {"huge", "bad", "unnecessary"}),
        (0.2, 0.9, 0.9, {"good"}),
        (0.2, 0.9, 0.6, set()),  # attributed, but too much was lost
        (0.2, 0.9, 0.3, {"huge"}),
    ],
)
def test_kinds(before: float, after: float, kept: float, kinds: set[EditKind]) -> None:
    assert edit_kinds(before, after, kept) == kinds


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (0.9, 0.8, 0.9),  # 0.09999999999999998 in floating point
        (0.4, 0.3, 0.9),  # 0.10000000000000003
        (0.8, 0.7, 0.9),  # 0.10000000000000009
        (0.1, 0.4, 0.9),  # 0.30000000000000004
        (0.6, 0.9, 0.9),
        (0.0, 1.0, 0.7),
        (0.0, 1.0, 1 - 0.3),
        (0.5, 0.5, 0.1 + 0.4),
    ],
)
def test_a_value_at_its_limit_is_not_beyond_it(before: float, after: float, kept: float) -> None:
    assert edit_kinds(before, after, kept) == set()


def test_edit_from_exactly_nine_tenths_is_bad_and_not_unnecessary() -> None:
    assert edit_kinds(0.9, 0.5, 0.8) == {"bad"}


@pytest.mark.parametrize(("before", "after"), [(None, 0.0), (1.0, None), (None, None)])
def test_unjudged_attribution_leaves_only_the_size(before: float | None, after: float | None) -> None:
    assert edit_kinds(before, after, 0.4) == {"huge"}
    assert edit_kinds(before, after, 0.9) == set()
    assert [is_kind(kind, before, after, 0.9) for kind in EDIT_KINDS] == [False, None, None, None]


@given(SHARES, SHARES, SHARES)
def test_which_kinds_go_together(before: float, after: float, kept: float) -> None:
    kinds = edit_kinds(before, after, kept)
    assert "unnecessary" not in kinds or "bad" in kinds
    assert not {"good", "bad"} <= kinds
    assert not {"good", "huge"} <= kinds


@given(SHARES)
def test_unchanged_text_is_of_no_kind(attribution: float) -> None:
    assert edit_kinds(attribution, attribution, 1.0) == set()
