"""The benchmarks over made-up rows: what they measure, and how a run continues."""

import json
from pathlib import Path

import pytest

from evals.literature.made_up_rows import CLAIMS, SHARED, data_folder, needs_data, write
from rarr.agent.verify import ClaimVerifier
from rarr.errors import InputError, ModelError
from rarr.evals.literature.attrscore_benchmark import CORPUS, AttrScoreReport, bench_attrscore
from rarr.evals.literature.benchmark_judging import BenchmarkClaim, JudgingOptions
from rarr.evals.literature.expertqa_benchmark import ALL_CLAIMS, bench_expertqa, system_scores
from rarr.evals.literature.published import ATTRSCORE, EXPERTQA
from rarr.evals.verified_claims import VerifiedRow
from rarr.records import AttributionClass
from rarr.records.verification import Verification

EMBEDDED = JudgingOptions(judges=("embedded",))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_folder(tmp_path / "data")


def predictions(out: Path) -> list[str]:
    return (out / "predictions.jsonl").read_text().splitlines()


def test_bench_attrscore_scores_each_construction(data: Path, tmp_path: Path) -> None:
    report = bench_attrscore(data, tmp_path / "out", options=EMBEDDED)
    scores = report.judges["embedded"]
    assert (report.questions, report.claims, scores.claims) == (4, 16, 16)
    assert {name: hits.n for name, hits in scores.constructions.items()} == dict.fromkeys("ABCD", 4)
    hits = sum((hits.value or 0) * 4 for hits in scores.constructions.values())
    assert scores.scores.three_way["accuracy"].value == pytest.approx(hits / 16)
    kept = AttrScoreReport.model_validate_json((tmp_path / "out" / "report.json").read_text())
    assert kept == report


def test_bench_attrscore_counts_failed_requests_apart(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> Verification:
        raise ModelError("down")

    monkeypatch.setattr(ClaimVerifier, "averify_together", fails)
    options = EMBEDDED.model_copy(update={"limit": 5})
    scores = bench_attrscore(data, tmp_path / "out", options=options).judges["embedded"]
    assert {(each.value, each.n) for each in scores.constructions.values()} == {(None, 0)}
    assert sum(each.unjudged for each in scores.constructions.values()) == scores.unjudged == 5
    assert "accuracy" not in scores.scores.three_way


def test_bench_run_continues_and_judges_no_claim_twice(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    some = bench_attrscore(data, out, options=EMBEDDED.model_copy(update={"limit": 5}))
    before = predictions(out / "embedded")
    assert (len(before), some.judges["embedded"].claims) == (5, 5)
    bench_attrscore(data, out, options=EMBEDDED)
    assert predictions(out / "embedded")[:5] == before
    assert len(predictions(out / "embedded")) == 16


def test_bench_each_judge_has_a_folder(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = bench_expertqa(data, out, options=JudgingOptions(judges=("embedded",), limit=1))
    assert list(report.judges) == ["embedded"]
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == ["embedded"]


def test_bench_passages_of_a_claim_are_joined(data: Path, tmp_path: Path) -> None:
    bench_expertqa(data, tmp_path / "out", options=EMBEDDED)
    lines = map(json.loads, (tmp_path / "out" / "claims.jsonl").read_text().splitlines())
    [second] = [line for line in lines if line["id"] == CLAIMS[1]["id"]]
    assert [piece["text"] for piece in second["evidence"]] == [
        "It is in Nevada.\nHoover Dam is 221 metres high and 379 metres long."
    ]
    assert "question" not in second


def test_bench_expertqa_leaves_out_claims_that_need_no_citation(data: Path, tmp_path: Path) -> None:
    scores = bench_expertqa(data, tmp_path / "out", options=EMBEDDED).judges["embedded"]
    systems = scores.groups["system"]
    assert {name: each.detection["f1"].n for name, each in systems.items()} == {
        "post_hoc": 1,
        "rr": 2,
        "all": 3,
    }
    assert list(scores.groups["field"]) == ["Law", "all"]
    assert scores.claims == 4 and scores.scores.two_way["f1"].n == 4


def test_bench_worthiness_is_that_of_the_rule_and_of_all(data: Path, tmp_path: Path) -> None:
    report = bench_expertqa(data, tmp_path / "out", options=EMBEDDED)
    # By hand: called yes, no, yes; worth a citation yes, yes, no.
    ours, every = report.worthiness, report.worthiness_of_all
    assert (ours["precision"].value, ours["recall"].value) == (0.5, 0.5)
    assert (every["precision"].value, every["recall"].value) == pytest.approx((2 / 3, 1))


def judged(
    number: int, answer: str, label: AttributionClass | None, *, supported: bool
) -> tuple[BenchmarkClaim, VerifiedRow]:
    groups = {"answer": answer}
    claim = BenchmarkClaim(id=str(number), claim="A.", evidence=(), supported=supported, groups=groups)
    return claim, VerifiedRow(id=str(number), label=label)


def test_bench_autoais_is_a_mean_over_answers() -> None:
    """By hand. First answer: 1 of 3 supported claims; second: 1 of 1. Macro 2/3, where micro would be 1/2."""
    scores = system_scores(
        [
            judged(1, "a", "attributable", supported=True),
            judged(2, "a", "extrapolatory", supported=True),
            judged(3, "a", "contradictory", supported=True),
            judged(4, "b", "attributable", supported=True),
            judged(5, "b", "attributable", supported=False),
            judged(6, "b", None, supported=True),
        ]
    )
    assert (scores.autoais.value, scores.claims, scores.unjudged) == pytest.approx((2 / 3, 4, 1))
    detection = scores.detection
    assert (detection["precision"].value, detection["recall"].value) == pytest.approx((2 / 3, 0.5))
    assert (detection["f1"].n, detection["f1"].unjudged) == (5, 1)


def test_bench_folder_with_other_files_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds other files than a benchmark: give a folder of its own"):
        bench_attrscore(data, data, options=EMBEDDED)


def test_bench_folder_of_other_data_is_refused(data: Path, tmp_path: Path) -> None:
    bench_expertqa(data, tmp_path / "out", options=EMBEDDED)
    with pytest.raises(InputError, match="holds a benchmark over other data: give another folder"):
        bench_attrscore(data, tmp_path / "out", options=EMBEDDED)


def test_bench_missing_data_are_told_by_name(data: Path, tmp_path: Path) -> None:
    (data / CORPUS).unlink()
    with pytest.raises(InputError, match=f"has no {CORPUS}: give the folder that holds it"):
        bench_attrscore(data, tmp_path / "out", options=EMBEDDED)
    assert not (tmp_path / "out").exists()


def test_bench_wrong_line_of_the_data_is_told_by_number(data: Path, tmp_path: Path) -> None:
    good = {"id": "a", "claim_without_citations": "A.", "worthiness": "Yes"}
    write(data / ALL_CLAIMS, [good, good | {"id": "b", "worthiness": "Maybe"}])
    with pytest.raises(
        InputError, match="line 2: worthiness: Input should be 'Yes' or 'No': restore the file"
    ):
        bench_expertqa(data, tmp_path / "out", options=EMBEDDED)


def test_bench_published_figures_are_shares_and_say_how_rows_differ() -> None:
    assert ATTRSCORE.systems["ChatGPT, zero-shot"]["micro_f1"] == pytest.approx(0.432)
    assert EXPERTQA.systems["rr_gs_gpt4"]["autoais"] == 0.778
    assert all(figures.differ and figures.paper for figures in (ATTRSCORE, EXPERTQA))


@pytest.mark.slow
@needs_data
def test_bench_attrscore_on_the_data_folder(tmp_path: Path) -> None:
    report = bench_attrscore(SHARED, tmp_path / "out", options=JudgingOptions(limit=100))
    assert report.claims >= 480
    confusion = report.judges["embedded"].scores.confusion
    assert {right for right, counts in confusion.items() if counts["attributable"]} <= {"attributable"}


@pytest.mark.slow
@needs_data
def test_bench_expertqa_on_the_data_folder(tmp_path: Path) -> None:
    report = bench_expertqa(SHARED, tmp_path / "out", options=JudgingOptions(limit=100))
    assert report.claims == 308
    precision = report.judges["embedded"].scores.two_way["precision"].value
    assert precision in (None, 1)  # it calls no claim supported that people did not


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"limit": 0}, {"limit": -1}])
def test_bench_needs_at_least_one_claim_and_one_job(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match="at least 1"):
        JudgingOptions(**wrong)
