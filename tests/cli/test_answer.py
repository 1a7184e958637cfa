"""`rarr answer` prints the answer with its marks, and tells what it took away."""

import json
from pathlib import Path

import pytest

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
        (["--graph", "http://127.0.0.1:9"], 3, "nothing could be answered: the SPARQL endpoint"),
    ],
)
@pytest.mark.loopback
def test_failure_is_one_line(
    arguments: list[str], status: int, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["answer", "Who was Ida Lunde?", *arguments]) == status
    error = capsys.readouterr().err
    assert problem in error
    assert error.count("\n") == 1


def test_claim_is_verified_by_a_graph(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["verify", "Marie Curie was born in Warsaw.", "--graph", PEOPLE]) == 0
    assert capsysbinary.readouterr().out.startswith(b"attributable")
