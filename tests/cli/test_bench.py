"""`rarr bench`: its tables, its exit statuses and its complaints."""

from pathlib import Path

import pytest
from evals.benchmarks.running import expertqa_folder

from cli.helpers import Command, is_complaint
from rarr.evals.benchmarks.bench import published
from rarr.testing import ScriptedServer


@pytest.fixture(autouse=True)
def _data(tmp_path: Path) -> None:
    expertqa_folder(tmp_path / "data")


def test_published_figures_stand_beside_ours(command: Command) -> None:
    done = command("bench", "expertqa", "data", "-o", "out", "--judge", "embedded", "--limit", "2")
    out, figures = done.out.decode(), published("expertqa")
    assert (done.status, done.err) == (0, "")
    assert figures and "rr gs gpt4" in out and figures.paper in " ".join(out.split())
    assert "report: out" in out


@pytest.mark.loopback
def test_claims_without_a_judgement_are_errors_and_status_3(command: Command) -> None:
    with ScriptedServer(lambda asked: "no JSON") as server:
        judge = ("--judge", "vllm:m", "--base-url", server.url)
        done = command("bench", "expertqa", "data", "-o", "out", *judge, "--limit", "1")
    assert done.status == 3
    assert "vllm:m: nothing could be judged: see rarr doctor" in done.err


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (("expertqa", "nowhere"), "nowhere has no dev/attribution/expertqa.jsonl: give the folder"),
        (("kalma", "data"), "data has no dev/kg/biokalma.jsonl"),
        (("names", "data/none.jsonl"), "no corpus: give --corpus PATH"),
        (("answers", "none.jsonl"), "none.jsonl"),
        (("conflicts", "none.jsonl"), "none.jsonl cannot be read"),
        (("wikigen", "a.jsonl", "b.jsonl"), "b.jsonl cannot be read"),
        (("expertqa", "data", "--jobs", "0"), "--jobs"),
    ],
)
def test_wrong_call_is_one_line(command: Command, argv: tuple[str, ...], complaint: str) -> None:
    done = command("bench", *argv, "-o", "out")
    assert (done.status, done.out) == (2, b"")
    assert is_complaint(done.err) and complaint in done.err
