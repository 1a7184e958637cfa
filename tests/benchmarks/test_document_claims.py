"""What becomes of sentences near the words of documents is at least as good as it was."""

from collections import Counter

import pytest

from benchmarks.document_claims import FOLDER, HALVES, document_claims, result
from rarr import Reviser, Settings

# Of each half: wrong sentences that may be called supported, and right ones that must be, as measured.
FLOORS = {"tuned": (2, 23), "unseen": (0, 16)}


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_sentences_come_out_as_measured(half: str) -> None:
    with Reviser(Settings(corpus=FOLDER / half / "documents", trace=False)) as reviser:
        results = Counter((claim.label, result(claim, reviser)) for claim in document_claims(half))
    most, least = FLOORS[half]
    assert results["wrong", "supported"] <= most
    assert results["right", "supported"] >= least
    assert results["right", "changed"] == 0
