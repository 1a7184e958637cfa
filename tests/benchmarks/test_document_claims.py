"""What becomes of sentences near the words of documents is at least as good as it was."""

from collections import Counter

import pytest

from benchmarks.document_claims import HALVES, results

# Of each half: wrong sentences that may be called supported, and right ones that must be, as measured.
FLOORS = {"tuned": (1, 20), "unseen": (0, 15)}


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_sentences_come_out_as_measured(half: str) -> None:
    counts = Counter((label, outcome) for label, outcome, _ in results(half))
    most, least = FLOORS[half]
    assert counts["wrong", "supported"] <= most
    assert counts["right", "supported"] >= least
    assert counts["right", "changed"] == 0
