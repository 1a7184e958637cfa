"""A second run about the same topics is counted against the first one."""

import asyncio
import json
from pathlib import Path

import pytest

from benchmarks.batch_shared import OTHERS, texts_of_runs, two_runs
from benchmarks.examples import examples


def test_each_other_text_is_about_the_topic_of_an_example() -> None:
    rows = [json.loads(line) for line in OTHERS.read_text(encoding="utf-8").splitlines()]
    topics = [row["topic"] for row in rows]
    assert len(topics) == len(set(topics)) and set(topics) <= {example.name for example in examples()}
    first, second = texts_of_runs(3)
    assert (len(first), len(second)) == (3, sum(example.name in topics for example in examples()[:3]))


@pytest.mark.slow
def test_second_run_is_counted_apart_from_the_first(tmp_path: Path) -> None:
    first, second = asyncio.run(two_runs(tmp_path, 1, with_model=True))
    assert (first.texts, first.known, first.saved_readings) == (1, 0, 0)
    assert first.searches and first.readings and second.searches >= second.known
    assert second.readings + second.saved_readings
