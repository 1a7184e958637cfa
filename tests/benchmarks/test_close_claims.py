"""Floors for what becomes of close claims."""

from collections import Counter

import pytest

from benchmarks.close_claims import CHANGED, results


@pytest.mark.slow
@pytest.mark.parametrize("half", ["tuned", "held_out"])
def test_no_wrong_claim_is_supported_and_no_right_one_is_changed(half: str) -> None:
    counts = Counter((label, outcome) for label, outcome, _ in results(half))
    assert counts["wrong", "supported"] == 0
    assert counts["right", CHANGED] == 0
