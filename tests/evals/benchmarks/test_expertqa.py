"""ExpertQA over made-up rows: what it measures, how a run continues, and what the runner refuses."""

from pathlib import Path
from typing import Any

import pytest

from evals.benchmarks.running import EXPERT_CLAIMS, expertqa_folder, run
from evals.doubles import write_rows
from rarr import Settings
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import BenchmarkReport, published
from rarr.evals.benchmarks.expertqa import CLAIMS, ExpertClaim, ExpertMeta, system_scores
from rarr.evals.verified_claims import VerifiedLine
from rarr.records import AttributionClass
from rarr.records.verification import Verification
from rarr.testing import ScriptedModel
from rarr.views.report_tables import as_tables

EMBEDDED = ("embedded",)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return expertqa_folder(tmp_path / "data")


def test_passages_are_joined_and_claims_that_need_no_citation_left_out(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("expertqa", data, out=out, limit=2, judges=EMBEDDED)
    kept = (out / "embedded/predictions.jsonl").read_bytes()
    report = run("expertqa", data, out=out, judges=EMBEDDED)
    overall, systems, fields = report.tables
    assert overall.rows["embedded"]["f1"].n == 4
    assert {name: row["f1"].n for name, row in systems.rows.items()} == {"post_hoc": 1, "rr": 2, "all": 3}
    assert list(fields.rows) == ["Law", "all"]
    assert (out / "embedded/predictions.jsonl").read_bytes().startswith(kept)
    assert BenchmarkReport.model_validate_json((out / "report.json").read_text()) == report
    assert "rr gs gpt4" in as_tables(report)


def test_failed_requests_are_errors_that_the_next_call_repeats(data: Path, tmp_path: Path) -> None:
    answers: list[Any] = ["no JSON"]
    model = ScriptedModel(lambda asked: answers[-1])
    judge = Settings(models={"attribute": model})
    report = run("expertqa", data, out=tmp_path / "out", settings=judge, limit=3)
    assert len(report.errors) == 3 and len(report.failed) == 1
    answers.append({"reason": "", "verdict": "attributable"})
    again = run("expertqa", data, out=tmp_path / "out", settings=judge, limit=3)
    assert (again.errors, again.failed) == ((), ())


def judged(name: str, label: AttributionClass | None, *, supported: bool) -> tuple[ExpertClaim, VerifiedLine]:
    meta = ExpertMeta.model_validate(EXPERT_CLAIMS[0]["meta"])
    claim = ExpertClaim(id=name, claim="A.", evidence=(), supported=supported, meta=meta)
    return claim, VerifiedLine(id=name, verification=Verification(claim="A.", label=label))


def test_autoais_is_a_mean_over_answers() -> None:
    """By hand. First answer: 1 of 3 supported claims; second: 1 of 1. Macro 2/3, where micro would be 1/2."""
    scores = system_scores(
        [
            judged("a/1", "attributable", supported=True),
            judged("a/2", "extrapolatory", supported=True),
            judged("a/3", "contradictory", supported=True),
            judged("b/4", "attributable", supported=True),
            judged("b/5", "attributable", supported=False),
            judged("b/6", None, supported=True),
        ]
    )
    assert scores["autoais"].value == pytest.approx(2 / 3)
    assert (scores["precision"].value, scores["recall"].value) == pytest.approx((2 / 3, 0.5))
    assert (scores["f1"].n, scores["f1"].unjudged) == (5, 1)


def test_missing_and_wrong_data_and_other_folders_are_refused(data: Path, tmp_path: Path) -> None:
    run("expertqa", data, out=tmp_path / "out", judges=EMBEDDED)
    with pytest.raises(InputError, match="holds a run with rounds"):
        run("expertqa", data, out=tmp_path / "out", settings=Settings(rounds=1), judges=EMBEDDED)
    with pytest.raises(InputError, match="holds dev, not a run of rarr: give a folder of its own"):
        run("expertqa", data, out=data, judges=EMBEDDED)
    write_rows(data / CLAIMS, {"id": "a", "claim": "A.", "evidence": []})
    with pytest.raises(InputError, match='its "meta" is wrong'):
        run("expertqa", data, out=tmp_path / "other", judges=EMBEDDED)
    (data / CLAIMS).unlink()
    with pytest.raises(InputError, match=f"{CLAIMS} cannot be read"):
        run("expertqa", data, out=tmp_path / "other", judges=EMBEDDED)
    assert not (tmp_path / "other").exists()


def test_published_figures_are_shares_and_say_how_rows_differ() -> None:
    figures = {name: published(name) for name in ("expertqa", "kalma", "wikigen")}
    assert all(each and each.differ and each.paper for each in figures.values())
    assert figures["expertqa"] and figures["expertqa"].systems["rr_gs_gpt4"]["autoais"] == 0.778
    assert published("answers") is None
