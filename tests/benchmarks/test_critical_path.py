"""The requests of a run, by what is searched: none more than its blocks, questions and doubts need."""

import pytest

from benchmarks.critical_path import measure

pytestmark = pytest.mark.loopback


@pytest.mark.parametrize(("way", "requests"), [("given", 1), ("corpus", 1), ("web", 2), ("doubt", 2)])
async def test_requests_of_a_short_text(way: str, requests: int) -> None:
    measured = await measure(way, 6, call_s=0.0, search_s=0.0, runs=1)
    assert measured.requests == requests


async def test_paper_asks_one_check_a_query_and_one_edit_a_disagreement() -> None:
    measured = await measure("paper", 3, call_s=0.0, search_s=0.0, runs=1, wrong=1)
    assert measured.requests == 1 + 3 + 1  # one request has all samples of questions
