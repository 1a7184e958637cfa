"""Graphs and sources that are wrong, empty or odd: a right answer, or one line that names the cure."""

from pathlib import Path

import pytest

from rarr.cli import run

CYCLE = """subject,relation,object
Upper Mill,part of,Tarn Mill
Tarn Mill,part of,Upper Mill
Tarn Mill,part of,Tarn Mill
"Ida ""The Owl"" Lunde, Jr.",owns,Tarn Mill
"""
HEAD = "subject,relation,object\n"


@pytest.fixture
def graph(tmp_path: Path) -> str:
    (tmp_path / "mills.csv").write_text(CYCLE, encoding="utf-8")
    return str(tmp_path / "mills.csv")


def test_graph_with_cycles_is_answered(graph: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["answer", "What is Tarn Mill part of?", "--graph", graph]) == 0
    assert "[Tarn Mill, part of: Upper Mill]" in capsys.readouterr().out


def test_name_with_quotes_and_commas_is_answered(graph: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["answer", "What owns Ida “The Owl” Lunde, Jr.?", "--graph", graph]) == 0
    assert "owns: Tarn Mill]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.csv", "", "no triple: give subject, relation and object"),
        ("a.csv", f"{HEAD}Ida,,\n", "line 2: its relation is empty"),
        ("a.ttl", "@prefix e: <http://e.org/> .\ne:a e:b .\n", "line 2"),
    ],
)
@pytest.mark.parametrize("command", ["answer", "verify", "revise", "cite"])
def test_broken_graph_is_one_line(
    command: str, name: str, text: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "text.md").write_text("Ida is tall.", encoding="utf-8")
    given = str(tmp_path / "text.md") if command == "cite" else "Ida is tall."
    assert run([command, given, "--graph", str(tmp_path / name)]) == 2
    error = capsys.readouterr().err
    assert problem in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["answer", "write"])
def test_empty_corpus_is_one_line(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "Tarn Mill", "--corpus", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert str(tmp_path) in error
    assert error.count("\n") == 1
