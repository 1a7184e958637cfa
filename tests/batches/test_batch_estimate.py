"""What a batch takes is estimated from a sample of its rows, by their words."""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rarr import Settings
from rarr.batches import batch_estimate
from rarr.batches.batch_estimate import SAMPLE, BatchEstimate, estimate_batch
from rarr.batches.column_mapping import Columns
from rarr.batches.cost_model import MEASURED
from rarr.errors import InputError

RIGHT = "The Hoover Dam is 221 metres high."


def estimated(folder: Path, texts: list[Any], **options: Any) -> BatchEstimate:
    (folder / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    (folder / "dam.md").write_text(RIGHT)
    given = {"model": "embedded", "corpus": folder / "dam.md", "home": folder / "home", "trace": False}
    settings = Settings(**(given | options))
    return estimate_batch(folder / "in.jsonl", settings, Columns(), "revise", 2)


def test_time_of_the_sample_is_counted_up_by_words_and_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for clock in ("perf_counter", "process_time"):
        monkeypatch.setattr(batch_estimate, clock, partial(next, iter([0.0, 3.0])))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    about = estimated(tmp_path, [RIGHT] * (2 * SAMPLE))
    assert (about.rows, about.words, about.sample, about.workers) == (40, 280, 20, 2)
    assert about.seconds == pytest.approx(MEASURED.start_s + 3.0)  # twice the words, by two workers
    assert about.cpu_seconds == pytest.approx(6.0 + 2 * MEASURED.start_s + 40 * MEASURED.row_s)
    assert about.bottleneck == "cores"
    assert (about.model_calls, about.cost) == (0, 0)


def test_rows_without_a_text_are_not_counted(tmp_path: Path) -> None:
    assert estimated(tmp_path, [RIGHT, "", 5]).rows == 1
    with pytest.raises(InputError, match="has no row with a text"):
        estimated(tmp_path, [""])


def test_broken_first_line_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("broken\n" + json.dumps({"text": RIGHT}))
    (tmp_path / "dam.md").write_text(RIGHT)
    settings = Settings(model="embedded", corpus=tmp_path / "dam.md", home=tmp_path / "home", trace=False)
    assert estimate_batch(tmp_path / "in.jsonl", settings, Columns(), "revise", 0).rows == 1


def test_rows_that_fail_are_left_out_of_the_sample(tmp_path: Path) -> None:
    (tmp_path / "dam.md").write_text(RIGHT)
    settings = Settings(model="embedded", corpus=tmp_path / "dam.md", home=tmp_path / "home", trace=False)
    wrong, right = {"text": RIGHT, "given": [5]}, {"text": RIGHT, "given": [RIGHT]}

    def of(*rows: dict[str, Any]) -> BatchEstimate:
        (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return estimate_batch(tmp_path / "in.jsonl", settings, Columns(sources="given"), "revise", 0)

    about = of(wrong, right)
    assert (about.rows, about.words, about.sample) == (2, 14, 1)
    with pytest.raises(InputError, match="none of 1 row can be revised, the first, row 1: "):
        of(wrong)


def test_language_model_is_not_asked_and_its_calls_are_expected(tmp_path: Path) -> None:
    one = estimated(tmp_path, [RIGHT], model="vllm:any")
    ten = estimated(tmp_path, [RIGHT] * 10, model="vllm:any")
    assert 0 < 10 * one.model_calls == ten.model_calls
    assert one.seconds is None and one.bottleneck is None  # its speed was not measured
    assert ten.cpu_seconds > one.cpu_seconds > 0
