"""`rarr bench conflicts`: what it prints, and what it refuses."""

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
    done = command("bench", "conflicts", "qa.jsonl", "-o", "out", "--policy", "corpus")
    out = done.out.decode()
    assert (done.status, done.err) == (0, "")
    assert out.startswith("Conflicting knowledge, as reviser: 2 conflicts of 2 questions\n")
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


def test_question_with_an_empty_list_of_answers_says_so(command: Command) -> None:
    Path("qa.jsonl").write_text(json.dumps(ROWS[0] | {"answers": []}))
    done = command("bench", "conflicts", "qa.jsonl", "-o", "out")
    assert 'line 1: its "answers" is an empty list: give at least one text' in done.err


@pytest.mark.parametrize("out", ["qa.jsonl", "qa.jsonl/out"])
def test_folder_that_cannot_be_written_has_status_2(command: Command, out: str) -> None:
    done = command("bench", "conflicts", "qa.jsonl", "-o", out, "--policy", "corpus")
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert "cannot be written" in done.err
