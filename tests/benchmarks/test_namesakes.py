"""Floors: no page of a namesake changes or supports a claim."""

import pytest

from benchmarks.namesakes import ALONE, BOTH, CHANGED, CORRECTED, SUGGESTED, counted, outcomes


@pytest.mark.slow
@pytest.mark.parametrize(("half", "corrected", "supported"), [("tuned", 0, 4), ("held_out", 2, 4)])
def test_claims_beside_the_page_of_a_namesake(half: str, corrected: int, supported: int) -> None:
    done = outcomes(half)
    for pages in (ALONE, BOTH):
        wrong, right = counted(done, pages, wrong=True), counted(done, pages, wrong=False)
        assert not any((*wrong[CHANGED], *right[CHANGED], *wrong["supported"]))
        assert not any((*wrong[SUGGESTED], *right[SUGGESTED]))
    alone = [counted(done, ALONE, wrong=wrong) for wrong in (True, False)]
    assert not any(any(count["contradicted"]) or any(count["supported"]) for count in alone)
    assert sum(counted(done, BOTH, wrong=True)[CORRECTED]) >= corrected
    assert sum(counted(done, BOTH, wrong=False)["supported"]) >= supported
