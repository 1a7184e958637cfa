"""The made text of the benchmark of long texts, and one row of it, small."""

import re

import pytest

from benchmarks.long_text import made, measured


def test_text_is_made_alike_and_differs_from_its_documents_in_the_planted_years() -> None:
    text, documents, planted = made(1000, seed=3)
    assert made(1000, seed=3) == (text, documents, planted)
    assert 1000 <= len(text.split()) < 1100
    text_years, document_years = (
        re.findall(r"built in (\d+)", source) for source in (text, " ".join(d for _, d in documents))
    )
    assert sum(a != b for a, b in zip(text_years, document_years, strict=True)) == planted > 5


def test_every_place_of_a_long_text_has_its_own_name() -> None:
    _, documents, _ = made(100_000, seed=0)
    assert len({name for name, _ in documents}) == len(documents) > 2000


@pytest.mark.slow
def test_run_is_measured() -> None:
    row = measured(100, None, seed=0)
    assert row.judged == 1
    assert row.corrected == 1
    assert row.seconds > 0
    assert row.peak_mb > 50
