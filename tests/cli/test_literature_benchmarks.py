"""`rarr bench`: its tables, its exit statuses and its complaints."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from evals.literature.made_up_rows import data_folder

from cli.helpers import Command, is_complaint
from rarr.agent.verify import ClaimVerifier
from rarr.evals.literature.attrscore_benchmark import AttrScoreReport
from rarr.evals.literature.published import ATTRSCORE, EXPERTQA, FACTSCORE
from rarr.records.verification import Verification
from rarr.testing import ScriptedServer


@pytest.fixture(autouse=True)
def _data(tmp_path: Path) -> None:
    data_folder(tmp_path / "data")


def test_bench_attrscore_prints_published_figures_beside_ours(command: Command) -> None:
    done = command("bench", "attrscore", "data", "-o", "out", "--judge", "embedded", "--limit", "8")
    out = done.out.decode()
    assert (done.status, done.err) == (0, "")
    assert out.startswith("AttrScore, simulation A to D: 16 claims from 4 answers\n")
    assert "* GPT-4, few-shot" in out and f"* as printed by {ATTRSCORE.paper}; other rows: " in out
    assert out.endswith("report: out/report.json\n")


def test_bench_expertqa_prints_systems_fields_and_worthiness(command: Command) -> None:
    done = command("bench", "expertqa", "data", "-o", "out", "--judge", "embedded")
    out = done.out.decode()
    assert (done.status, done.err) == (0, "")
    for line in (
        "by system",
        "by field",
        "cite-worthy claims",
        "every claim",
        f"* as printed by {EXPERTQA.paper}",
    ):
        assert line in out
    published = next(line for line in out.splitlines() if line.startswith("* rr_gs_gpt4"))
    assert published.split()[2:] == ["0.860", "0.740", "0.790", "-", "0.778", "1415"]


def test_bench_factscore_prints_texts(command: Command) -> None:
    done = command("bench", "factscore", "data", "-o", "out", "--judge", "embedded")
    out = done.out.decode()
    assert (done.status, done.err) == (0, "")
    assert out.startswith("FActScore: 3 claims, each with the passages that people judged\n")
    assert f"* as printed by {FACTSCORE.paper}" in out


def test_bench_json_is_the_report_alone(command: Command) -> None:
    done = command("bench", "attrscore", "data", "-o", "out", "--judge", "embedded", "--limit", "2", "--json")
    report = AttrScoreReport.model_validate_json(done.out)
    assert json.loads(Path("out/report.json").read_text()) == report.model_dump(mode="json")


def test_bench_wrong_folder_has_status_2(command: Command) -> None:
    done = command("bench", "attrscore", "nowhere", "-o", "out")
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert done.err == "rarr: nowhere has no dev/retrieval/quotesum.jsonl: give the folder that holds it\n"


@pytest.mark.parametrize("name", ["attrscore", "expertqa", "factscore"])
def test_bench_judge_without_a_label_has_status_3(
    name: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No request failed: the judge abstains from every claim."""

    async def abstains(self: ClaimVerifier, claims: Sequence[str], *_: object) -> list[Verification]:
        return [Verification(claim=claim) for claim in claims]

    monkeypatch.setattr(ClaimVerifier, "averify_together", abstains)
    done = command("bench", name, "data", "-o", "out", "--judge", "embedded", "--limit", "2")
    cure = "it has no label for any of them: give another --judge"
    assert (done.status, done.err) == (3, f"rarr: embedded: no claim could be judged: {cure}\n")


@pytest.mark.loopback
def test_bench_judge_that_can_judge_nothing_has_status_3(command: Command) -> None:
    with ScriptedServer(lambda asked: {"verdict": "maybe"}) as server:
        call = ("bench", "expertqa", "data", "-o", "out", "--judge", "vllm:m", "--base-url", server.url)
        done = command(*call)
    assert done.status == 3
    assert done.err.splitlines()[-1] == "rarr: vllm:m: no claim could be judged: see rarr doctor"
