"""Tests that the embedded reader keeps its quality on examples/eval.jsonl."""

from pathlib import Path

import pytest

from benchmarks.examples import read_examples
from benchmarks.floors import DATA, evaluate_examples, raise_floors, read_floors
from rarr.cli.options import parse_limits
from rarr.evals.evaluation import MEASURE_NAMES, EvalReport, low_measure_messages
from rarr.evals.metrics import Measurement
from rarr.evals.rows import EvalRow, read_rows


@pytest.mark.slow
def test_measures_keep_their_floors(tmp_path: Path) -> None:
    report = evaluate_examples(tmp_path / "home", tmp_path / "out")
    assert low_measure_messages(report, read_floors()) == []
    assert [row.error for row in report.rows if row.error] == []


def test_floors_are_limits_that_rise_and_never_sink() -> None:
    floors = read_floors()
    assert {"f1_ap", "restored", "untouched_when_correct"} <= floors.keys()
    assert parse_limits([f"{name}={floor}" for name, floor in floors.items()], MEASURE_NAMES) == floors
    report = EvalReport(data="d", measures={"f1_ap": Measurement(value=0.81239, n=3)})
    assert [raise_floors({"f1_ap": it}, report)["f1_ap"] for it in (0.5, 0.8123)] == [0.812, 0.8123]
    with pytest.raises(ValueError, match=r"f1_ap is 0\.81239, under its limit 0\.9"):
        raise_floors({"f1_ap": 0.9}, report)


def test_rows_are_those_of_the_texts() -> None:
    rows, known = read_rows(DATA, EvalRow), {it.name: it for it in read_examples()}
    assert len(rows) == 21
    same = [row for row in rows if row.id in known]
    assert len(same) == 14
    for row in same:
        example = known[row.id]
        assert (row.text, row.context, row.revised) == (example.text, example.context, example.expected)
