"""The work of a text follows from its sentences, its searches and the texts before it."""

import pytest

from benchmarks.scale_model import ScaleParts, TextShape, embedded_cpu_s, saved_share, search_s
from rarr.retrievers.corpus.corpus import KEPT_SEARCHES

PARTS = ScaleParts(
    text_s=0.5, sentence_s=0.25, reading_s=0.125, wrong_s=1.0, rules_text_s=0.01, rules_question_s=0.02,
    search_s=0.002, search_growth=0.5, own_searches=0.25, shared_searches=0.5, start_s=4.0, row_s=0.001,
    store_kb=10.0, row_kb=2.0, passage_kb=1.0, worker_mb=200.0,
)  # fmt: skip


def test_sentences_are_read_beside_the_passages_of_their_neighbours_too() -> None:
    assert TextShape(sentences=1, wrong=0, questions=2, kept=3).readings == 6
    assert TextShape(sentences=2, wrong=0, questions=4, kept=3).readings == 2 * 12
    assert TextShape(sentences=4, wrong=0, questions=8, kept=3).readings == 2 * 12 + 2 * 18


def test_text_costs_its_sentences_readings_errors_and_new_searches() -> None:
    text = TextShape(sentences=2, wrong=1, questions=4, kept=3)
    judged = 0.5 + 2 * 0.25 + 24 * 0.125 + 1.0
    assert embedded_cpu_s(PARTS, text, 10_000) == pytest.approx(judged + 4 * 0.002)
    assert embedded_cpu_s(PARTS, text, 10_000, saved=0.5) == pytest.approx(judged + 2 * 0.002)


def test_search_grows_with_the_corpus() -> None:
    assert search_s(PARTS, 10_000) == 0.002
    assert search_s(PARTS, 1_000_000) == pytest.approx(0.02)


def test_fewer_topics_and_fewer_workers_save_more_searches() -> None:
    saved = saved_share(PARTS, texts=1000, topics=10, searches=5, workers=1)
    assert saved == pytest.approx(0.25 + 0.5 * 0.99, rel=0.001)
    assert saved_share(PARTS, 1000, 10, 5, workers=20) < saved
    assert saved_share(PARTS, 1000, 100, 5, workers=1) < saved
    assert saved_share(PARTS, 10**9, KEPT_SEARCHES, 4, workers=1) == pytest.approx(0.25 + 0.5 / 4, rel=0.01)
