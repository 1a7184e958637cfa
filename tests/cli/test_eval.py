"""`rarr eval`: its outputs, its exit statuses and what it says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.helpers import Command, is_complaint
from rarr.evals.report_records import Comparison, EvalReport

RIGHT = {"id": "a", "text": "The bridge opened in 1937.", "revised": "The bridge opened in 1937."}
WRONG = {"id": "b", "text": "The bridge opened in 1935.", "revised": "The bridge opened in 1937."}
CALL = ("eval", "data.jsonl", "-o", "out", "--corpus", "notes")


def write(*rows: Any) -> None:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    Path("data.jsonl").write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture(autouse=True)
def _data(notes: Path) -> None:
    write(RIGHT, WRONG)


def test_scores_are_printed_and_written(command: Command) -> None:
    done = command(*CALL)
    out = done.out.decode()
    assert (done.status, done.err) == (0, "")
    assert out.startswith("rows: 2, with an error: 0, lines left out: 0\n\nmeasure")
    assert re.search(r"^restored +1\.000  0\.207 to 1\.000 +1 +0$", out, re.MULTILINE)
    assert out.endswith("\nreport: out/report.html\n")
    assert {file.name for file in Path("out").iterdir()} >= {
        "predictions.jsonl",
        "report.json",
        "report.html",
    }


@pytest.mark.slow
def test_json_is_the_report_alone(command: Command) -> None:
    done = command(*CALL, "--json")
    assert EvalReport.model_validate_json(done.out).measures["restored"].value == 1
    assert done.out == Path("out/report.json").read_bytes()


def test_baseline_is_chosen_by_options(command: Command) -> None:
    done = command(*CALL, "--queries", "text", "--agreement", "off", "--editor", "none", "--json")
    report = json.loads(done.out)
    assert {"queries": "text", "agreement": "False", "editor": "none"}.items() <= report["settings"].items()
    assert [row["text"] for row in report["rows"]] == [RIGHT["text"], WRONG["text"]]


@pytest.mark.parametrize(("option", "value"), [("--queries", "x"), ("--agreement", "x"), ("--editor", "x")])
def test_unknown_baseline_is_one_line(option: str, value: str, command: Command) -> None:
    done = command(*CALL, option, value)
    assert (done.status, is_complaint(done.err), option[2:] in done.err) == (2, True, True)


def test_limit_is_the_first_rows(command: Command) -> None:
    done = command(*CALL, "--limit", "1", "--json")
    assert [row["id"] for row in json.loads(done.out)["rows"]] == ["a"]


@pytest.mark.slow
def test_lines_that_could_not_be_read_are_named(command: Command) -> None:
    write(RIGHT, "nope", WRONG, "[]")
    done = command(*CALL)
    assert (done.status, b"lines left out: 2" in done.out) == (2, True)
    first, second, last = done.err.splitlines()
    assert first.startswith("rarr: warning: line 2 of data.jsonl was left out: it is not JSON")
    assert (
        second == "rarr: warning: line 4 of data.jsonl was left out: it is JSON, but not an object in braces"
    )
    assert last == "rarr: 2 lines of data.jsonl left out: correct the data, and run with another -o"


@pytest.mark.slow
def test_many_lines_that_could_not_be_read_are_counted(command: Command) -> None:
    write(RIGHT, *["[]"] * 23)
    lines = command(*CALL).err.splitlines()
    assert len(lines) == 20 + 2
    assert lines[20] == "rarr: warning: and 3 more: report.json has all of them"
    assert lines[21].startswith("rarr: 23 lines of data.jsonl left out: ")


def test_row_in_error_is_named(command: Command) -> None:
    Path("empty").mkdir()
    write(RIGHT, WRONG | {"corpus": "empty"})
    done = command(*CALL)
    first, last = done.err.splitlines()
    assert (done.status, first.startswith("rarr: warning: row 'b' has an error: ")) == (2, True)
    assert last == "rarr: 1 row with an error: correct the cause, and run again, which repeats these rows"


def test_row_in_error_fails_a_limit_that_the_others_are_above(command: Command) -> None:
    Path("empty").mkdir()
    write(RIGHT, WRONG | {"corpus": "empty"})
    done = command(*CALL, "--fail-under", "f1_ap=0", "--fail-under", "untouched_when_correct=1")
    assert (done.status, done.err.splitlines()[-1]) == (
        4,
        "rarr: f1_ap may be under its limit 0: it is not judged for rows with an error (1)",
    )


@pytest.mark.slow
def test_measure_under_its_limit_is_reported(command: Command) -> None:
    done = command(*CALL, "--fail-under", "restored=0.9", "--fail-under", "huge=0.1")
    assert (done.status, done.err) == (4, "rarr: huge is 0, under its limit 0.1\n")
    assert command(*CALL, "--fail-under", "restored=1").status == 0


def test_limit_that_was_not_judged_fails(command: Command) -> None:
    write({"text": "The bridge opened in 1937."})
    done = command(*CALL, "--fail-under", "restored=0")
    assert (done.status, "restored is not judged" in done.err) == (4, True)


@pytest.mark.slow
@pytest.mark.loopback
def test_model_that_is_not_there_is_an_error_of_every_row(command: Command) -> None:
    model = ["--model", "vllm:m", "--base-url", "http://127.0.0.1:9/v1"]
    done = command(*CALL, *model, "--fail-under", "untouched_when_correct=0.5")
    lines = done.err.splitlines()
    assert (done.status, len(lines)) == (3, 5)
    assert lines[0].startswith("rarr: warning: row 'a' has an error: nothing could be checked: ")
    assert lines[3] == "rarr: untouched_when_correct is not judged, under its limit 0.5"
    assert lines[4].startswith("rarr: no row could be judged: nothing could be checked: ")
    assert b"with an error: 2" in done.out


def test_nothing_checked_for_any_row_is_a_failure(command: Command) -> None:
    search = ["--search", "wikipedia", "--offline"]  # and nothing is in the cache
    done = command("eval", "data.jsonl", "-o", "out", *search, "--fail-under", "f1_ap=0.5")
    lines = done.err.splitlines()
    assert (done.status, len(lines)) == (3, 5)
    assert "f1_ap is not judged" in lines[3]
    report = EvalReport.model_validate_json(Path("out/report.json").read_bytes())
    assert {(name, measure.n, measure.value) for name, measure in report.measures.items()} == {
        (name, 0, None) for name in report.measures
    }


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["eval"], "DATA and -o DIR are both needed"),
        (["eval", "data.jsonl"], "DATA and -o DIR are both needed"),
        (["eval", "nowhere.jsonl", "-o", "out"], "nowhere.jsonl cannot be read (No such file"),
        (["eval", "empty.jsonl", "-o", "out"], "empty.jsonl has no row (it is empty)"),
        ([*CALL, "--fail-under", "f1=0.5"], "unknown measure 'f1'"),
        ([*CALL, "--jobs", "0"], "'--jobs'"),
        ([*CALL, "--limit", "0"], "'--limit'"),
        ([*CALL, "--preset", "slow"], "preset"),
        ([*CALL, "--model", "nope"], "unknown model 'nope'"),
        (["eval", "data.jsonl", "-o", "out", "--corpus", "nowhere"], "nowhere"),
        (["eval", "data.jsonl", "-o", "."], "holds data.jsonl, not a run of rarr"),
        (["eval", "--compare", "notes"], "'--compare'"),
        (["eval", "--compare", "notes", "notes"], "notes holds no run of rarr eval"),
        (["eval", "data.jsonl", "--compare", "a", "b"], "--compare takes only the folders of two runs"),
        (
            ["eval", "--compare", "a", "b", "--corpus", "notes"],
            "--compare takes only the folders of two runs",
        ),
    ],
)
def test_wrong_call_is_one_line_and_nothing_is_done(command: Command, argv: list[str], message: str) -> None:
    Path("empty.jsonl").touch()
    done = command(*argv)
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert message in done.err
    assert not Path("out/predictions.jsonl").exists()


@pytest.mark.slow
def test_other_settings_in_one_folder_are_refused(command: Command) -> None:
    command(*CALL)
    done = command(*CALL, "--preset", "paper")
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert "give another folder, or delete this one" in done.err


@pytest.mark.slow
def test_two_runs_are_compared(command: Command) -> None:
    command(*CALL)
    command("eval", "data.jsonl", "-o", "quick", "--corpus", "notes", "--preset", "fast")
    done = command("eval", "--compare", "out", "quick")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(b"A: out\nB: quick\nrows of both: 2, of A alone: 0, of B alone: 0\n\nmeasure")
    compared = Comparison.model_validate_json(command("eval", "--compare", "out", "quick", "--json").out)
    assert compared.measures["restored"].paired.difference.n == 1
