"""`rarr batch`: what it prints, its exit status, and what it refuses."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.helpers import Command, Result, is_complaint

RIGHT, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."


@pytest.fixture(autouse=True)
def corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Path("corpus").mkdir()
    Path("corpus", "dam.md").write_text(f"# Hoover Dam\n\n{RIGHT}\n")
    for name, value in (("CORPUS", "corpus"), ("MODEL", "embedded"), ("RERANKER", "overlap")):
        monkeypatch.setenv(f"RARR_{name}", value)


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def batch(command: Command, *options: str, out: str = "out.jsonl") -> Result:
    return command("batch", "in.jsonl", "-o", out, "--workers", "0", *options)


def given(*rows: dict[str, Any]) -> None:
    Path("in.jsonl").write_bytes(lines(*rows))


def results() -> list[dict[str, Any]]:
    return [
        json.loads(line, parse_constant=pytest.fail) for line in Path("out.jsonl").read_text().splitlines()
    ]


def test_file_becomes_a_file_and_one_line_tells_what_was_done(command: Command) -> None:
    given({"text": WRONG}, {"text": RIGHT})
    result = batch(command)
    assert result == (
        0,
        b"",
        "rarr: 2 rows in out.jsonl: 1 changed, 0 with sentences that are not supported\n",
    )
    assert [row["rarr_text"] for row in results()] == [RIGHT, RIGHT]


def test_json_has_the_counts_alone(command: Command) -> None:
    given({"text": WRONG})
    result = batch(command, "--json")
    assert result.err == "" and json.loads(result.out)["statuses"] == {"supported": 1}


@pytest.mark.parametrize("out", ["out.csv", "out.jsonl", "out.parquet"])
def test_every_format_can_be_opened_by_its_own_library(out: str, command: Command) -> None:
    given({"text": WRONG, "note": 'a "b",\nc'}, {"text": RIGHT, "note": None})
    assert batch(command, out=out).status == 0
    if out.endswith(".parquet"):
        rows = pytest.importorskip("pyarrow.parquet").read_table(out).to_pylist()
    else:
        with Path(out).open(newline="") as file:
            rows = list(csv.DictReader(file)) if ".csv" in out else [json.loads(line) for line in file]
    assert [row["rarr_text"] for row in rows] == [RIGHT, RIGHT]
    assert rows[0]["note"] == 'a "b",\nc' and not rows[1]["note"]


@pytest.mark.parametrize("out", ["out.jsonl", "out.csv", "out.parquet"])
def test_what_json_has_no_word_for_is_null(out: str, command: Command) -> None:
    Path("in.jsonl").write_text(json.dumps({"text": RIGHT, "n": [float("nan"), float("inf"), 1.5]}))
    batch(command, out=out)
    if out.endswith(".parquet"):
        [row] = pytest.importorskip("pyarrow.parquet").read_table(out).to_pylist()
    else:
        with Path(out).open(newline="") as file:
            [row] = list(csv.DictReader(file)) if out.endswith(".csv") else results()
    values = row["n"] if out.endswith(".jsonl") else json.loads(row["n"], parse_constant=pytest.fail)
    assert values == [None, None, 1.5]


def test_dates_bytes_and_nested_lists_of_parquet_stay_in_parquet_and_become_text_in_json(
    command: Command,
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    from datetime import date

    from pyarrow import Table

    row = {"text": RIGHT, "day": date(2026, 1, 2), "data": b"\x00\xff", "nested": [{"a": [1, None]}]}
    parquet.write_table(Table.from_pylist([row]), "in.parquet")
    for out in ("out.parquet", "out.jsonl"):
        assert command("batch", "in.parquet", "-o", out, "--workers", "0").status == 0
    [same] = parquet.read_table("out.parquet").to_pylist()
    assert {name: same[name] for name in row} == row
    text = json.loads(Path("out.jsonl").read_text())
    assert [text[name] for name in row] == [RIGHT, "2026-01-02", "AP8=", [{"a": [1, None]}]]


def test_rows_that_cannot_be_used_are_told_and_give_status_2(command: Command) -> None:
    Path("in.jsonl").write_bytes(lines({"text": RIGHT}, {"text": 5}))
    result = batch(command)
    warning, _, error = result.err.splitlines()
    assert warning == "rarr: warning: row 2: its 'text' is an int: give a text"
    which = "1 row with an error, which the same call repeats; the first"
    assert (result.status, error) == (2, f"rarr: {which}: row 2: its 'text' is an int: give a text")


@pytest.mark.slow
@pytest.mark.loopback
def test_row_that_fails_is_counted_once_and_its_error_has_one_cure(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_ATTEMPTS", "1")
    given({"text": WRONG})
    unanswered = ("--model", "vllm:none", "--base-url", "http://127.0.0.1:9/v1", "--search", "corpus")
    summary, error, _ = batch(command, *unanswered).err.splitlines()
    assert summary.startswith("rarr: 1 row in out.jsonl: 0 changed, 0 with sentences that")
    assert error.startswith(
        "rarr: 1 row with an error, which the same call repeats; the first: row 1: not checked: "
    )
    assert error.count("correct") == 1


def test_only_errors_give_status_3(command: Command) -> None:
    given({"text": ""})
    result = batch(command)
    assert result.status == 3 and result.err.endswith("rarr: every row has an error: see rarr doctor\n")


def test_measure_under_its_limit_gives_status_4(command: Command) -> None:
    given({"text": "The Hoover Dam was painted green."})
    result = batch(command, "--fail-under", "supported=0.9")
    assert result.status == 4 and result.err.endswith("rarr: supported is 0, under its limit 0.9\n")


def test_row_with_nothing_to_check_is_neither_good_nor_open(command: Command) -> None:
    given({"text": "```\nview()\n```"}, {"text": RIGHT})
    result = batch(command, "--fail-under", "supported=0.9")
    summary = "0 changed, 0 with sentences that are not supported, 1 with nothing to check"
    assert (result.status, result.err) == (0, f"rarr: 2 rows in out.jsonl: {summary}\n")


def test_rows_that_are_left_give_status_4_and_the_next_call_does_them(command: Command) -> None:
    given({"text": RIGHT})
    result = batch(command, "--max-cost", "0")
    why = "since the cost has reached --max-cost: run again with a higher limit to continue"
    assert result.status == 4 and result.err.endswith(f"rarr: 1 row left, {why}\n")
    assert "1 row left, since --deadline has passed: run again" in batch(command, "--deadline", "0").err
    assert batch(command).status == 0


def test_estimate_writes_nothing(command: Command) -> None:
    given({"text": RIGHT}, {"text": WRONG})
    result = batch(command, "--estimate")
    assert result.out == b"2 rows, 14 words, by a sample of 2\n"
    assert json.loads(batch(command, "--estimate", "--json").out)["rows"] == 2
    assert not Path("out.jsonl").exists() and not Path("out.jsonl.batch").exists()


WRONG_CALLS = [
    (("in.jsonl", "-o", "out.txt"), "no known ending"),
    (("in.jsonl", "-o", "out.jsonl", "--text", "answer"), "give one of 'text' as text"),
    (("in.jsonl", "-o", "out.jsonl", "--fail-under", "x=1"), "unknown measure 'x'"),
    (("-", "-o", "out.jsonl"), "- has no known ending"),
    (("in.jsonl", "-o", "in.jsonl"), "is the input"),
    (("none.jsonl", "-o", "out.jsonl"), "none.jsonl cannot be read"),
    (("twice.csv", "-o", "out.jsonl"), "twice.csv has two columns 'text'"),
    (("in.jsonl", "-o", "out.jsonl", "--corpus", "none"), "corpus 'none' cannot be read"),
    (("in.jsonl", "-o", "out.jsonl", "--model", "openai:any"), "has no key"),
    (("in.jsonl", "-o", "folder.jsonl"), "is a folder"),
    (("in.jsonl", "-o", "in.jsonl/out.jsonl"), "cannot be written"),
    (("in.jsonl", "-o", "out.jsonl", "--workers", "65"), "give at most 64 processes, or a cluster by --ray"),
    (("in.jsonl", "-o", "out.jsonl", "--workers", "0", "--ray", "local"), "leave --ray out"),
    (("in.jsonl", "-o", "out.jsonl", "--ray", "local"), 'pip install "rarr[ray]"'),
]


@pytest.mark.parametrize(("argv", "message"), WRONG_CALLS)
def test_wrong_call_is_one_line_and_leaves_nothing(
    argv: tuple[str, ...], message: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)  # it is not installed
    given({"text": RIGHT})
    Path("twice.csv").write_text("text,text\na,b\n")
    Path("folder.jsonl").mkdir()
    before = set(Path().iterdir())
    result = command("batch", *argv)
    assert result.status == 2 and is_complaint(result.err) and message in result.err, result
    assert set(Path().iterdir()) - before <= {Path("home")}


def run(*argv: str, **options: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-m", "rarr", "batch", *argv], env=os.environ, **options)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "1", "2"])
def test_any_number_of_workers_writes_the_same(workers: str) -> None:
    given({"text": WRONG}, {"text": RIGHT}, {"text": "The dam is tall."})
    with run("in.jsonl", "-o", "out.jsonl", "--workers", workers, stderr=subprocess.PIPE) as running:
        assert running.wait(60) == 0
    assert [row["rarr_text"] for row in results()] == [RIGHT, RIGHT, "The dam is tall."]
