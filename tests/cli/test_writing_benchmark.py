"""`rarr bench wikigen`: its tables and exit statuses."""

import json
from pathlib import Path

import pytest

from cli.helpers import Command, is_complaint

FOLDER = Path(__file__).resolve().parents[2] / "examples/benchmark/wikigen"
DATA = (str(FOLDER / "events.jsonl"), str(FOLDER / "docs.jsonl"))


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))


def test_table_stands_beside_the_published_figures(command: Command) -> None:
    done = command("bench", "wikigen", *DATA, "-o", "out", "--limit", "1")
    printed = done.out.decode()
    assert (done.status, done.err) == (0, "")
    assert "The verifier of the run judges citations." in printed
    assert "extractive, overlap" in printed
    assert "* PRR GPT-3.5" in printed
    assert printed.endswith("report: out/report.json\n")


def test_json_is_the_report(command: Command) -> None:
    done = command(
        "bench", "wikigen", *DATA, "-o", "out", "--limit", "1", "--reranker", "bm25,random", "--json"
    )
    assert list(json.loads(done.out)["systems"]) == ["extractive, bm25", "extractive, random"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--system", "prr"), "system prr needs a language model"),
        (("--system", "poem"), "system 'poem' is unknown"),
        (("--reranker", "no/such/folder"), "no/such/folder"),
    ],
)
def test_wrong_call_is_status_2(command: Command, options: tuple[str, ...], reason: str) -> None:
    done = command("bench", "wikigen", *DATA, "-o", "out", "--limit", "1", *options)
    assert done.status == 2
    assert is_complaint(done.err)
    assert reason in done.err


def test_model_that_fails_for_all_is_status_3(command: Command) -> None:
    Path("script.json").write_text("{}")
    model = ("--system", "rr", "--model", "scripted:script.json")
    done = command("bench", "wikigen", *DATA, "-o", "out", "--limit", "1", *model)
    assert done.status == 3
    assert "no article could be written" in done.err
