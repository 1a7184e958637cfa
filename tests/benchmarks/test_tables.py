"""Floors for tables: nothing is damaged, and no wrong cell is called supported."""

import pytest

from benchmarks.tables import counts, outcomes


@pytest.mark.slow
@pytest.mark.parametrize(("half", "corrected", "supported"), [("tuned", 1, 2), ("held_out", 0, 0)])
def test_cells_of_tables(half: str, corrected: int, supported: int) -> None:
    results = outcomes(half)
    wrong, right = counts(results, wrong=True), counts(results, wrong=False)
    assert wrong["damaged"] == right["damaged"] == 0
    assert wrong["supported"] == 0
    assert wrong["corrected"] >= corrected
    assert right["supported"] >= supported
