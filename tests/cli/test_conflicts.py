"""`rarr bench conflicts` and `rarr doctor --conflicts`: what they print, and what they refuse."""

import json
from pathlib import Path

import pytest

from cli.helpers import Command, is_complaint
from rarr.testing import ScriptedServer

ROWS = [
    {
        "question": "who wrote Green Ice",
        "answers": ["Tom Berg"],
        "passage": "Green Ice is a song by Tom Berg.",
    },
    {"question": "who wrote Red Ice", "answers": ["Ida Lunde"], "passage": "Red Ice is a song by Ida Lunde."},
]


@pytest.fixture(autouse=True)
def _rows() -> None:
    Path("qa.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))


def test_bench_conflicts_prints_counts_and_ratio(command: Command) -> None:
    done = command("bench", "conflicts", "qa.jsonl", "-o", "out", "--model", "rules", "--policy", "corpus")
    out = done.out.decode()
    assert (done.status, done.err) == (0, "")
    assert out.startswith("Conflicting knowledge, as checker: 2 conflicts of 2 questions\n")
    [line] = [line.split() for line in out.splitlines() if line.startswith("corpus ")]
    assert line[:7] == ["corpus", "2", "0", "0", "2", "0", "0.000"]


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--policy", "corpus,synonym"], "--policy names 'synonym': give some of "),
        (["--as", "reader"], "'embedded' answers no questions: name a language model with --model"),
        (
            ["--policy", "popularity"],
            "qa.jsonl gives no conflict (popularity: no substitute fits: 2): give more rows with answers of"
            ' the same type and a number "popularity"\n',
        ),
        (["--policy", "alias"], "(alias: no substitute fits: 2): give other forms of an answer"),
    ],
)
def test_wrong_call_has_status_2(command: Command, more: list[str], complaint: str) -> None:
    done = command("bench", "conflicts", "qa.jsonl", "-o", "out", *more)
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert complaint in done.err


@pytest.mark.loopback
def test_failing_model_has_status_3(command: Command) -> None:
    with ScriptedServer({"nothing": "fits"}) as server:
        call = ("bench", "conflicts", "qa.jsonl", "-o", "out", "--as", "reader", "--policy", "corpus")
        done = command(*call, "--model", "vllm:m", "--base-url", server.url)
    assert done.status == 3
    assert done.err.endswith("no conflict could be judged: see rarr doctor\n")


@pytest.mark.loopback
def test_doctor_tells_how_often_a_model_follows_its_evidence(command: Command) -> None:
    with ScriptedServer(lambda asked: {"answer": "Paris"}) as server:
        done = command("doctor", "--model", "vllm:m", "--base-url", server.url, "--conflicts")
    lines = done.out.decode().splitlines()
    assert (done.status, done.err) == (0, "")
    assert lines[0] == "vllm:m, as reader: follows its evidence in 0 of 20"
    assert lines[1] == "  Where is the Eiffel Tower? kept 'Paris'; the passage says 'Lyon'"
    assert sum(line.endswith("wrong with the true passage, so not asked again") for line in lines) == 19


def test_question_with_an_empty_list_of_answers_says_so(command: Command) -> None:
    Path("qa.jsonl").write_text(json.dumps(ROWS[0] | {"answers": []}))
    done = command("bench", "conflicts", "qa.jsonl", "-o", "out")
    assert 'line 1: its "answers" is an empty list: give at least one text' in done.err


def test_doctor_conflicts_needs_a_model(command: Command) -> None:
    done = command("doctor", "--conflicts")
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert "--conflicts asks a model: name it with --model" in done.err


@pytest.mark.loopback
def test_doctor_has_no_verdict_on_a_model_that_was_not_asked(command: Command) -> None:
    with ScriptedServer({"nothing": "fits"}) as server:
        done = command("doctor", "--model", "vllm:m", "--base-url", server.url, "--conflicts")
    assert (done.status, done.out, is_complaint(done.err)) == (3, b"", True)
    assert done.err.startswith("rarr: no question could be asked: ")


@pytest.mark.loopback
def test_doctor_counts_of_the_questions_that_were_asked(command: Command) -> None:
    with ScriptedServer({"Eiffel": {"answer": "Paris"}}) as server:
        done = command("doctor", "--model", "vllm:m", "--base-url", server.url, "--conflicts")
    lines = done.out.decode().splitlines()
    assert (done.status, done.err) == (0, "")
    assert lines[0] == "vllm:m, as reader: follows its evidence in 0 of 1 that it was asked"
    assert sum(" not asked: " in line for line in lines) == 19


@pytest.mark.parametrize("out", ["qa.jsonl", "qa.jsonl/out"])
def test_folder_that_cannot_be_written_has_status_2(command: Command, out: str) -> None:
    done = command("bench", "conflicts", "qa.jsonl", "-o", out, "--model", "rules", "--policy", "corpus")
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert "cannot be written" in done.err
