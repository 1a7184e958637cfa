"""`rarr bench kalma`: what it writes and prints."""

import json
from pathlib import Path

import pytest
from evals.literature.test_bench_kalma import data_folder

from rarr.cli import run
from rarr.cli.streams import complain_of_errors


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
