"""The halves of the close claims are alike, and floors for what becomes of them."""

from collections import Counter

import pytest

from benchmarks.close_claims import CHANGED, HALVES, close_claims, result


def test_halves_are_alike() -> None:
    kinds = [Counter((claim.kind, claim.label) for claim in close_claims(half)) for half in HALVES]
    assert kinds[0] == kinds[1]
    assert kinds[0].total() == 120
    passages = [{claim.passage for claim in close_claims(half)} for half in HALVES]
    assert passages[0].isdisjoint(passages[1])


@pytest.mark.slow
@pytest.mark.parametrize(("half", "right"), [("tuned", 1), ("held_out", 0)])
def test_no_wrong_claim_is_supported_and_no_right_one_is_changed(half: str, right: int) -> None:
    results = Counter((claim.label, result(claim)) for claim in close_claims(half))
    assert results["wrong", "supported"] == 0
    assert results["right", "supported"] >= right
    assert results["right", CHANGED] == 0
