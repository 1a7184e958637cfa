"""`rarr score`: one answer, a file of answers, and wrong calls. Equal words need no encoder."""

import json
from pathlib import Path

import pytest

from cli.helpers import Command, is_complaint
from rarr.testing import ScriptedServer


def test_answer_prints_score_and_reason(command: Command) -> None:
    done = command("score", "It took 19 days.", "-r", "18 days", "--question", "How long did it take?")
    assert (done.status, done.err) == (0, "")
    assert done.out == b"0.000  '19 days' is not '18 days' (reference: 18 days)\n"


def test_file_gives_a_line_for_each_row(command: Command) -> None:
    rows = [
        {"id": "a", "answer": "Tom Berg", "references": ["Tom Berg"]},
        {"answer": "9", "references": "18"},
    ]
    Path("answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = command("score", "answers.jsonl")
    scored = [json.loads(line) for line in done.out.splitlines()]
    assert [(each["id"], each["score"]) for each in scored] == [("a", 1.0), ("2", 0.0)]


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (["Tom Berg"], "give it with --reference"),
        (["answers.jsonl", "-r", "Tom Berg"], "a file brings its references"),
        (["answers.jsonl"], 'line 1: its "references" is no list of texts: correct it'),
    ],
)
def test_wrong_call_has_status_2(command: Command, call: list[str], complaint: str) -> None:
    Path("answers.jsonl").write_text('{"answer": "x"}\n{"answer": "y", "references": "y"}\n')
    done = command("score", *call)
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert complaint in done.err


def test_bench_answers_prints_r_and_auc(command: Command) -> None:
    rows = [
        {"answer": "Tom Berg", "references": ["Tom Berg"], "score": 1},
        {"answer": "9", "references": "18", "score": 0},
    ]
    Path("rated.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = command("bench", "answers", "rated.jsonl", "-o", "out")
    lines = done.out.decode().splitlines()
    assert (done.status, lines[0]) == (0, "2 answers, 1 right by people")
    assert lines[3].split()[:2] == ["rarr.score", "1.000"]
    assert Path("out/report.json").exists()


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"answer": "a", "references": []}, 'its "references" is an empty list: give at least one text'),
        ({"answer": 27, "references": "a"}, 'it has an "answer" that is not a string'),
        ({"answers": "a"}, '"score": 0.5} for each answer'),
    ],
)
def test_wrong_line_of_rated_answers(command: Command, row: dict[str, object], complaint: str) -> None:
    Path("rated.jsonl").write_text(json.dumps(row))
    done = command("bench", "answers", "rated.jsonl")
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert complaint in done.err


def test_help_of_bench_answers_has_its_examples_on_lines(command: Command) -> None:
    lines = command("bench", "answers", "--help").out.decode().splitlines()
    assert any(line.strip() == "rarr bench answers rated.jsonl" for line in lines)


def test_examples_without_a_model_have_status_2(command: Command) -> None:
    Path("rated.jsonl").write_text('{"answer": "x", "references": "y", "score": 1}\n')
    done = command("score", "z", "-r", "y", "--examples", "rated.jsonl")
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert "examples are shown to a language model" in done.err


@pytest.mark.loopback
@pytest.mark.parametrize("call", [["score", "rated.jsonl"], ["bench", "answers", "rated.jsonl", "-o", "out"]])
def test_failing_model_has_status_3(command: Command, call: list[str]) -> None:
    rows = [
        {"answer": "quiet", "references": ["soundproofed"], "score": 1},
        {"answer": "red", "references": ["soundproofed"], "score": 0},
    ]
    Path("rated.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with ScriptedServer({"nothing": "fits"}) as server:
        done = command(*call, "--model", "vllm:m", "--base-url", server.url)
    assert (done.status, is_complaint(done.err)) == (3, True)


def test_bench_answers_complains_first_about_a_folder_that_cannot_be_written(command: Command) -> None:
    rows = [{"answer": "a", "references": "a", "score": 1}, {"answer": "b", "references": "c", "score": 0}]
    Path("rated.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    call = ("bench", "answers", "rated.jsonl", "-o", "rated.jsonl", "--model", "vllm:m")
    done = command(*call, "--base-url", "http://127.0.0.1:9")
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert "rated.jsonl cannot be written (" in done.err
