"""`rarr answer` prints the answer with its marks, and tells what it took away."""

import json
import sys
from pathlib import Path

import pytest

from cli.helpers import Command
from rarr.cli import run

PEOPLE = str(Path(__file__).parents[2] / "examples" / "graph" / "people.csv")


def test_answer_is_printed_with_brackets(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["answer", "Where was Marie Curie born?", "--graph", PEOPLE]) == 0
    assert capsysbinary.readouterr().out == b"Marie Curie was born in Warsaw. [p1, place of birth: Warsaw]\n"


def test_answer_is_printed_as_json(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["answer", "Where was Jonah Strake born?", "--graph", PEOPLE, "--json"]) == 0
    answered = json.loads(capsysbinary.readouterr().out)
    assert answered["statements"][0]["needs_support"] is True
    assert [warning["code"] for warning in answered["warnings"]] == ["ambiguous_name"]


def test_refused_citations_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = {"Who was Mary": {"statements": [{"text": "Mary Shelley was tall.", "citations": [77]}]}}
    (tmp_path / "script.json").write_text(json.dumps(script), encoding="utf-8")
    model = f"scripted:{tmp_path / 'script.json'}"
    assert run(["answer", "Who was Mary Shelley?", "--graph", PEOPLE, "--model", model]) == 0
    assert "there is no such source (in 'Mary Shelley was tall.')" in capsys.readouterr().err


def test_trace_shows_triples_and_statements_and_is_replayed(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert run(["answer", "Where was Marie Curie born?", "--graph", PEOPLE]) == 0
    capsysbinary.readouterr()
    assert run(["trace", "show", "last"]) == 0
    shown = capsysbinary.readouterr().out.decode()
    assert "] Marie Curie was born in Warsaw.\n" in shown
    assert "  supported: Marie Curie was born in Warsaw. [" in shown
    assert run(["trace", "replay", "last"]) == 0


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (["--graph", "none.csv"], 2, "graph none.csv cannot be read"),
        (["--graph", "notes.md"], 2, "notes.md is no graph"),
        (["--graph", "http://127.0.0.1:9/sparql"], 2, "is no graph: give a file"),
    ],
)
def test_failure_is_one_line(
    arguments: list[str], status: int, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["answer", "Who was Ida Lunde?", *arguments]) == status
    error = capsys.readouterr().err
    assert problem in error
    assert error.count("\n") == 1


def test_question_and_draft_are_read_from_standard_input(command: Command, tmp_path: Path) -> None:
    (tmp_path / "draft.md").write_text("Marie Curie was born in Warsaw.", encoding="utf-8")
    asked = command("answer", "-", "--graph", PEOPLE, stdin=b"Where was Marie Curie born?")
    assert asked.out == b"Marie Curie was born in Warsaw. [p1, place of birth: Warsaw]\n"
    checked = command(
        "answer", "Who was Marie Curie?", "--graph", PEOPLE, "--draft", "-", stdin=b"She was tall."
    )
    assert checked.out == b"She was tall. [NA]\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-", "--draft", "-"], "QUESTION and --draft are both -: give the question in quotes"),
        (["-"], "standard input is empty: give a text of at least one sentence"),
        ([" "], "QUESTION is empty: give a text of at least one sentence"),
        ([PEOPLE], "QUESTION is the name of a file: give the question in quotes"),
        (["Who?", "--draft", "none.md"], "none.md cannot be read"),
    ],
)
def test_question_that_cannot_be_read_is_refused(
    arguments: list[str], problem: str, command: Command
) -> None:
    done = command("answer", *arguments, "--graph", PEOPLE)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert problem in done.err
    assert "--file" not in done.err


def test_closed_standard_input_names_a_cure_that_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert run(["answer", "-", "--graph", PEOPLE]) == 2
    assert "standard input is closed: give QUESTION in quotes" in capsys.readouterr().err


def test_claim_is_verified_by_a_graph(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["verify", "Marie Curie was born in Warsaw.", "--graph", PEOPLE]) == 0
    assert capsysbinary.readouterr().out.startswith(b"attributable")
