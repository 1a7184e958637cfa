"""Floors for what becomes of close claims."""

from collections import Counter

import pytest

from benchmarks.close_claims import CHANGED, close_claims, result


@pytest.mark.slow
@pytest.mark.parametrize("half", ["tuned", "held_out"])
def test_no_wrong_claim_is_supported_and_no_right_one_is_changed(half: str) -> None:
    results = Counter((claim.label, result(claim)) for claim in close_claims(half))
    assert results["wrong", "supported"] == 0
    assert results["right", CHANGED] == 0
