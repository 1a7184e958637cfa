"""`rarr index`, `batch`, `eval`, `label`, `train` and `bench`: what they print, write and return."""

import json
from pathlib import Path
from typing import Any

import pytest
from evals.benchmarks.running import expertqa_folder
from evals.doubles import CLAIM, NO, NOT_ALL, PAIR, YES, export, write_rows

from cli.conftest import Command, is_error_line
from rarr.evals.benchmarks.bench import read_package_json
from rarr.evals.evaluation import EvalReport
from rarr.testing import RuleModel, ScriptedServer
from rarr.testing.scripted_model import Asked, UnansweredError

RIGHT, WRONG = "The bridge opened in 1937.", "The bridge opened in 1935."
GIVEN = {"text": RIGHT, "evidence": [RIGHT]}
EVAL = ("eval", "in.jsonl", "-o", "out", "--corpus", "notes")
UNCACHED, LIMIT = "--search wikipedia --offline", "--fail-under supported=0.9"
AGAIN = "1 row with an error, which the same call repeats"
BATCH = ("batch", "in.jsonl", "-o", "out.jsonl", "--workers", "0", "--corpus", "notes")


@pytest.fixture(autouse=True)
def _folder(notes: Path) -> None:
    (notes / "bridge.md").write_text(f"# Bridge\n\n{RIGHT}")
    write_input({"id": "a", "text": RIGHT, "revised": RIGHT}, {"id": "b", "text": WRONG, "revised": RIGHT})


def write_input(*rows: Any) -> None:
    Path("in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_index_counts_what_it_read_and_names_what_it_skipped(command: Command) -> None:
    for number in range(10, 22):
        Path(f"notes/{number}.txt").touch()
    done = command("index", "notes", "-o", "out")
    named = ", ".join(f"notes/{number}.txt" for number in range(11, 20))
    told = f"notes/10.txt: not searched: it holds no text; also {named}, and 2 other files\n"
    assert (done.status, is_error_line(done.err), told in done.err) == (0, True, True)
    assert b"read: 1" in done.out
    assert b"unchanged: 1" in command("index", "notes", "--out", "out").out


def output_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]


def test_file_becomes_a_file_and_one_line_tells_what_was_done(command: Command) -> None:
    summary = "rarr: 2 rows in out.jsonl: 1 changed, 0 with sentences that are not supported, 0 failed\n"
    assert command(*BATCH) == (0, b"", summary)
    assert [row["rarr_text"] for row in output_rows()] == [RIGHT, RIGHT]
    assert json.loads(command(*BATCH, "--json").out)["statuses"] == {"supported": 2}


@pytest.mark.parametrize(
    ("call", "rows", "options", "status", "last"),
    [
        (BATCH, [{"text": ""}], "", 2, AGAIN),
        (BATCH, [GIVEN, {"id": 5}], "", 2, f"{AGAIN}; the first: line 2: it has no 'text'"),
        (BATCH, [{"text": RIGHT}], UNCACHED, 3, "every row has an error: see"),
        (BATCH, [{"text": "A car."}], LIMIT, 4, "supported is not judged, so it may be"),
        (BATCH, [{"text": "A car."}, {"text": RIGHT}], LIMIT, 0, "2 rows in out.jsonl"),
        (BATCH, [{"text": "It is red."}], LIMIT, 4, "supported is 0, under its limit 0.9"),
        (BATCH, [{"text": RIGHT}], "--max-cost 0", 4, "1 row left, since the cost has reached --max-cost"),
        (EVAL, [GIVEN, []], UNCACHED, 2, "in.jsonl, line 2: it is no JSON object"),
        (EVAL, [GIVEN, {"text": RIGHT}], f"{UNCACHED} --fail-under f1_ap=0", 4, "f1_ap may be under its"),
        (EVAL, [{"text": RIGHT}], f"{UNCACHED} --fail-under f1_ap=0", 3, "no row could be done"),
    ],
)
def test_exit_status_of_a_file_of_rows(
    command: Command, call: Any, rows: list[Any], options: str, status: int, last: str
) -> None:
    write_input(*rows)
    done = command(*call, *options.split())
    assert (done.status, done.err.splitlines()[-1].startswith(f"rarr: {last}")) == (status, True), done.err


def test_scores_are_printed_and_written(command: Command) -> None:
    done = command(*EVAL)
    assert (done.status, done.err) == (0, "")
    rows = {line[:24].strip(): line[24:].split() for line in done.out.decode().splitlines()}
    assert rows["restored"] == ["1.000", "0.207", "to", "1.000", "1", "0"]
    assert done.out.endswith(b"\nreport: out/report.html\n")
    assert all(Path("out", it).exists() for it in ("predictions.jsonl", "report.json", "report.html"))
    report = EvalReport.model_validate_json(command(*EVAL, "--json").out)
    assert report.measures["restored"].value == 1


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("call", "unanswered", "about", "status", "last"),
    [
        (["eval"], "judge_attribution", "", 3, "no row could be done: row 'a' has an error: attribution"),
        (["eval"], "judge_attribution", "1935", 2, "1 row with an error: correct the cause"),
        (["eval"], "judge_attribution", "red", 0, "warning: row 'a': verification_failed: support by"),
        (["bench", "rarr"], "judge_attribution", "", 3, "default: nothing could be judged: default: "),
        (["bench", "rarr"], "judge_intent", "", 0, "warning: default, row 'b': intent could not be judged"),
    ],
)
def test_failure_of_a_judge_is_no_measure(
    command: Command, call: list[str], unanswered: str, about: str, status: int, last: str
) -> None:
    def answer(asked: Asked) -> str:
        if asked.prompt == unanswered and about in asked.user:
            raise UnansweredError("the judge is away")
        return RuleModel()(asked)

    write_input({**GIVEN, "id": "a", "evidence": [RIGHT, "It is red."]}, {**GIVEN, "id": "b", "text": WRONG})
    more = ["--system", "default"] if len(call) > 1 else ["--set", 'models={"attribute": "vllm:rules"}']
    with ScriptedServer(answer) as server:
        more += ["--model", "vllm:rules", "--base-url", server.url]
        done = command(*call, "in.jsonl", "-o", "out", *more)
    assert (done.status, done.err.splitlines()[-1].startswith(f"rarr: {last}")) == (status, True), done.err


def test_ratings_are_merged_into_labels(command: Command, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "data.jsonl", {"id": "a", **CLAIM}, {"id": "b", **CLAIM, **PAIR})
    done = command("label", "data.jsonl", "-o", "page.html")
    assert done.out.decode().startswith("page.html: 2 items to rate, data ")
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    exports = [export(rows, "Ada", YES, NO | {"intent": "similar"}, rater="A\x1b[2J\nda")]
    exports.append(export(rows, "Ben", YES, NOT_ALL | {"intent": "different"}))
    done = command("label", "--merge", "-o", "labels.jsonl", *map(str, exports))
    assert (done.status, done.err, b"\x1b" in done.out) == (0, "", False)
    assert [line.split()[:2] for line in done.out.decode().splitlines() if "0.500" in line]
    labels = [json.loads(line) for line in Path("labels.jsonl").read_text().splitlines()]
    assert [(row["id"], row["label"]) for row in labels] == [("a", "attributable"), ("b", None)]


def test_benchmark_prints_published_figures_beside_ours(command: Command, tmp_path: Path) -> None:
    expertqa_folder(tmp_path / "bench")
    done = command("bench", "expertqa", "bench", "-o", "out", "--judge", "embedded", "--limit", "2")
    out, figures = done.out.decode(), read_package_json("published.json")["expertqa"]
    assert (done.status, done.err) == (0, "")
    assert "rr_gs_gpt4" in out and figures["paper"] in " ".join(out.split())
    assert "report: out" in out
