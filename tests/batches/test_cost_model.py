"""The time of a batch follows from the work of a text, and from what is slowest."""

import pytest

from rarr.batches.cost_model import (
    Parts,
    Place,
    TextShape,
    TextWork,
    bottleneck,
    cpu_seconds,
    embedded_cpu_s,
    memory_mb,
    saved_share,
    search_s,
    seconds,
    with_model_cpu_s,
)
from rarr.retrievers.corpus.search_memo import KEPT_SEARCHES

PARTS = Parts(
    text_s=0.5, sentence_s=0.25, reading_s=0.125, wrong_s=1.0, rules_text_s=0.01, rules_question_s=0.02,
    search_s=0.002, search_growth=0.5, own_searches=0.25, shared_searches=0.5, start_s=4.0, row_s=0.001,
    store_kb=10.0, row_kb=2.0, passage_kb=1.0, worker_mb=200.0,
)  # fmt: skip
EMBEDDED = TextWork(cpu_s=0.5)


def at(workers: int, cores: int = 2, concurrency: int = 8) -> Place:
    return Place(workers=workers, cores=cores, concurrency=concurrency)


def test_sentences_are_read_beside_the_passages_of_their_neighbours_too() -> None:
    assert TextShape(sentences=1, wrong=0, questions=2, kept=3).readings == 6
    assert TextShape(sentences=2, wrong=0, questions=4, kept=3).readings == 2 * 12
    assert TextShape(sentences=4, wrong=0, questions=8, kept=3).readings == 2 * 12 + 2 * 18


def test_text_costs_its_sentences_readings_errors_and_new_searches() -> None:
    text = TextShape(sentences=2, wrong=1, questions=4, kept=3)
    judged = 0.5 + 2 * 0.25 + 24 * 0.125 + 1.0
    assert embedded_cpu_s(PARTS, text, 10_000) == pytest.approx(judged + 4 * 0.002)
    assert embedded_cpu_s(PARTS, text, 10_000, saved=0.5) == pytest.approx(judged + 2 * 0.002)


def test_language_model_leaves_the_rules_for_each_question() -> None:
    assert with_model_cpu_s(PARTS, questions=4) == pytest.approx(0.09)


def test_search_grows_with_the_corpus() -> None:
    assert search_s(PARTS, 10_000) == 0.002
    assert search_s(PARTS, 1_000_000) == pytest.approx(0.02)


def test_workers_share_the_work_up_to_the_cores() -> None:
    assert seconds(PARTS, 100, EMBEDDED, at(1)) == 4 + 50
    assert seconds(PARTS, 100, EMBEDDED, at(2)) == 4 + 25
    assert seconds(PARTS, 100, EMBEDDED, at(8)) == 4 + 25
    assert bottleneck(PARTS, 100, EMBEDDED, at(8)) == "cores"
    assert cpu_seconds(PARTS, 100, EMBEDDED, at(2)) == pytest.approx(50 + 8 + 0.1)


def test_workers_wait_for_slow_searches() -> None:
    slow = TextWork(cpu_s=0.5, waiting_s=1.5)
    assert seconds(PARTS, 100, slow, at(2)) == 4 + 100
    assert bottleneck(PARTS, 100, slow, at(2)) == "waiting"
    assert seconds(PARTS, 100, slow, at(8)) == 4 + 25


def test_short_waits_take_time_and_are_no_bottleneck() -> None:
    short = TextWork(cpu_s=0.5, waiting_s=0.25)
    assert seconds(PARTS, 100, short, at(2)) == 4 + 37.5
    assert bottleneck(PARTS, 100, short, at(2)) == "cores"


def test_language_model_is_bound_by_its_server_or_by_one_process() -> None:
    work = TextWork(cpu_s=0.1, model_s=1.0)
    assert bottleneck(PARTS, 100, work, at(0, concurrency=4)) == "model"
    assert seconds(PARTS, 100, work, at(0, concurrency=4)) == 4 + 25
    assert bottleneck(PARTS, 100, work, at(0, cores=16, concurrency=64)) == "one process"
    assert seconds(PARTS, 100, work, at(0, cores=16, concurrency=64)) == pytest.approx(4 + 10)


def test_unknown_speed_of_a_model_leaves_the_time_unknown() -> None:
    unknown = TextWork(cpu_s=0.1, model_s=None)
    assert seconds(PARTS, 100, unknown, at(0)) is None
    assert bottleneck(PARTS, 100, unknown, at(0)) is None


def test_many_cores_are_bound_by_the_process_that_stores_the_results() -> None:
    assert bottleneck(PARTS, 10**6, EMBEDDED, at(1000, cores=1000)) == "results"


def test_fewer_topics_and_fewer_workers_save_more_searches() -> None:
    saved = saved_share(PARTS, texts=1000, topics=10, searches=5, workers=1)
    assert saved == pytest.approx(0.25 + 0.5 * 0.99, rel=0.001)
    assert saved_share(PARTS, 1000, 10, 5, workers=20) < saved
    assert saved_share(PARTS, 1000, 100, 5, workers=1) < saved
    assert saved_share(PARTS, 10**9, KEPT_SEARCHES, 4, workers=1) == pytest.approx(0.25 + 0.5 / 4, rel=0.01)


def test_each_process_takes_memory() -> None:
    assert memory_mb(PARTS, at(0)) == 200
    assert memory_mb(PARTS, at(2)) == 600
