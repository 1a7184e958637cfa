"""The requests of a run, by what is searched: none more than its blocks, questions and doubts need."""

import pytest

from benchmarks.critical_path import measure

pytestmark = pytest.mark.loopback

# The paper asks for all samples of questions at once, one check a query, and one edit a disagreement.
WAYS = [("given", 6, 1), ("corpus", 6, 1), ("web", 6, 2), ("doubt", 6, 2), ("paper", 3, 1 + 3 + 1)]


@pytest.mark.parametrize(("way", "sentences", "requests"), WAYS)
async def test_requests_of_a_short_text(way: str, sentences: int, requests: int) -> None:
    measured = await measure(way, sentences, call_s=0.0, search_s=0.0, runs=1)
    assert measured.requests == requests
