"""The time of a batch follows from the work of a text, and from what is slowest."""

import pytest

from rarr.batches.cost_model import (
    Parts,
    Place,
    TextWork,
    bottleneck,
    cpu_seconds,
    memory_mb,
    seconds,
    with_model_cpu_s,
)

PARTS = Parts(rules_text_s=0.01, rules_question_s=0.02, start_s=4.0, row_s=0.001, worker_mb=200.0)
EMBEDDED = TextWork(cpu_s=0.5)


def at(workers: int, cores: int = 2, concurrency: int = 8) -> Place:
    return Place(workers=workers, cores=cores, concurrency=concurrency)


def test_text_takes_more_time_with_more_questions() -> None:
    assert with_model_cpu_s(PARTS, questions=4) == pytest.approx(0.09)


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


def test_each_process_takes_memory() -> None:
    assert memory_mb(PARTS, at(0)) == 200
    assert memory_mb(PARTS, at(2)) == 600
