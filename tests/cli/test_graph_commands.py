"""`rarr bench kalma` and `rarr train questions`: what they write and print."""

import json
from pathlib import Path

import pytest
from evals.literature.test_bench_kalma import data_folder

from rarr.cli import run
from rarr.cli.streams import complain_of_errors

PEOPLE = str(Path(__file__).parents[2] / "examples" / "graph" / "people.csv")


def test_questions_over_a_graph_are_written(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    out = tmp_path / "questions.jsonl"
    assert run(["train", "questions", PEOPLE, "-o", str(out), "--count", "3"]) == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 3
    assert capsysbinary.readouterr().out.startswith(b"3 questions over ")
    assert lines[0]["minimum"][0].keys() == {"subject_id", "subject", "relation", "value_id", "value"}


def test_benchmark_prints_its_tables_and_writes_its_report(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    out = tmp_path / "scores"
    assert run(["bench", "kalma", str(data_folder(tmp_path)), "-o", str(out), "--limit", "2"]) == 0
    assert b"KaLMA, answers by embedded" in capsysbinary.readouterr().out
    assert json.loads((out / "report.json").read_text(encoding="utf-8"))["rows"]["questions"] == 2


def test_missing_data_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "kalma", str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == 2
    assert "give the folder of the data sets" in capsys.readouterr().err


def test_questions_with_an_error_are_named_with_the_cure(capsys: pytest.CaptureFixture[str]) -> None:
    assert complain_of_errors(["q1: no answer"], rows="question") == 2
    first, last = capsys.readouterr().err.splitlines()
    assert first == "rarr: warning: q1: no answer"
    assert last.startswith("rarr: 1 question with an error: correct the cause, and run again, which repeats")
