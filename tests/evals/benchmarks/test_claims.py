"""Tests the benchmarks of claims and `rarr verify`: figures computed by hand, and the accepted data."""

from pathlib import Path
from typing import Any

import pytest

from evals.benchmarks.running import DAM, EXPERT_CLAIMS, expertqa_folder, first_table, run
from evals.doubles import lines, write_rows
from rarr.errors import InputError
from rarr.evals.benchmarks import claims
from rarr.evals.benchmarks.bench import Bench, BenchmarkReport, BenchOptions, Part, run_bench
from rarr.evals.benchmarks.claims import VerificationLine
from rarr.evals.rows import ClaimRow
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.records import Verification
from rarr.settings import Settings
from rarr.testing import RuleModel, ScriptedModel, ScriptedServer

HIGH, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."
LABELLED: list[dict[str, Any]] = [
    {"claim": HIGH, "evidence": DAM, "label": "Attributable", "system": "a", "field": "Law"},
    {"claim": WRONG, "evidence": ["It is popular.", {"text": DAM}], "label3": "contradictory",
     "meta": {"system": "b", "field": "Law"}},
    {"claim": "Beavers build dams.", "evidence": DAM, "label": "extrapolatory", "system": "b"},
    {"claim": HIGH, "evidence": DAM, "supported": True},
]  # fmt: skip
BARE = {"claim": HIGH, "evidence": []}


def pair(gold: str, label: Any, score: Any = None, error: str = "") -> tuple[ClaimRow, VerificationLine]:
    row = ClaimRow.model_validate({"id": "a", "claim": "A.", "evidence": [], "label": gold})
    verification = None if error else Verification(claim="A.", label=label, probability=score)
    return row, VerificationLine(id="a", verification=verification, error=error)


def test_classes_of_attrscore_by_hand() -> None:
    """Three claims are attributable: one is right, one has no label, one failed. The others contradict."""
    judged: Pairs = [
        pair("attributable", "attributable"), pair("attributable", None),
        pair("attributable", None, error="no"), pair("extrapolatory", "contradictory"),
        pair("contradictory", "contradictory"),
    ]  # fmt: skip
    scores = claims.class_scores(judged)
    assert list(scores) == ["attributable", "extrapolatory", "contradictory", "overall", "macro"]
    expected = [1, 0, 2 / 3, 2 / 3, 5 / 9]
    assert [it.value for it in scores.values()] == pytest.approx(expected)
    assert scores["overall"].unjudged == 2
    shares = claims.label_shares(judged)
    assert [list(its) for its in shares.values()] == [[*list(scores)[:3], "none"]] * 4
    assert [[it.value for it in its.values()] for its in shares.values()] == [
        [1 / 4, 0, 1 / 2, 1 / 4],  # of all
        [1 / 2, 0, 0, 1 / 2],
        *[[0, 0, 1, 0]] * 2,
    ]


def test_attrscore_has_tables_by_class_system_and_field_and_counts_what_has_no_class(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "claims.jsonl", *LABELLED)
    report = run("attrscore", data, out=tmp_path / "out")
    overall, systems, fields, labels = report.tables.values()
    assert [it.value for it in overall["embedded"].values()] == [1, 1, 1, 1, 1]
    assert {name: row["overall"].n for name, row in systems.items()} == {"a": 1, "b": 2, "all": 3}
    assert list(fields) == ["Law", "all"] and labels["contradictory"]["contradictory"].value == 1
    assert (report.counts, report.left_out) == ({"claims": 3}, {"no class by people": 1})
    assert report.published and report.published.systems["GPT-4 few-shot, GenSearch"]["overall"] == 0.843
    with pytest.raises(InputError, match=r"no claim of .* has a label"):
        run("attrscore", write_rows(data, LABELLED[3]), out=tmp_path / "other")


def test_a_wording_of_attrscore_is_a_judge_that_sees_whole_claims(tmp_path: Path) -> None:
    asked = LABELLED[0] | {"claim": f"{HIGH} It is long.", "question": "Q?"}
    data = write_rows(tmp_path / "claims.jsonl", asked)
    model = ScriptedModel(lambda asked: {"verdict": "refuted", "reason": ""}, name="scripted")
    report = run("attrscore", data, out=tmp_path / "out", judges=("attrscore:facts",), model=model)
    assert first_table(report)["attrscore:facts"]["overall"].value == 0
    [call] = model.calls
    assert call.name == "judge_as_facts" and f"Q? {HIGH} It is long." in call.messages[-1].content


def test_passages_are_joined_and_claims_that_need_no_citation_left_out(tmp_path: Path) -> None:
    data, out = expertqa_folder(tmp_path / "data"), tmp_path / "out"
    run("expertqa", data, out=out, limit=2, judges=("embedded",))
    kept = (out / "embedded/predictions.jsonl").read_bytes()
    report = run("expertqa", data, out=out, judges=("embedded",))
    overall, systems, fields = report.tables.values()
    assert (overall["embedded"]["f1"].n, report.left_out) == (3, {"not worth a citation": 1})
    assert {name: row["f1"].n for name, row in systems.items()} == {"post_hoc": 1, "rr": 2, "all": 3}
    assert list(fields) == ["Law", "all"]
    assert (out / "embedded/predictions.jsonl").read_bytes().startswith(kept)
    assert BenchmarkReport.model_validate_json((out / "report.json").read_text()) == report


def test_judges_of_like_names_do_not_share_a_folder(tmp_path: Path) -> None:
    async def make_line(row: ClaimRow) -> FinishedLine:
        return FinishedLine(id=row.id)

    part = Part([], FinishedLine, lambda: Worker(make_line), [])
    parts = {"nli:a/b": part, "nli:a-b": part}
    run_bench(Bench("b", "B", {}, parts, lambda pairs: {}), tmp_path, Settings(), BenchOptions())
    assert len({file.parent for file in tmp_path.glob("*/predictions.jsonl")}) == 2


def test_autoais_is_a_mean_over_answers() -> None:
    """First answer: 1 of 3 supported claims; second answer: 1 of 1. The macro mean is 2/3, the micro 1/2."""
    labels = ("attributable", "extrapolatory", "contradictory", "attributable", "extrapolatory", None)
    names = ("a/1", "a/2", "a/3", "b/4", "b/5", "b/6")
    given = (EXPERT_CLAIMS[0] | {"id": name, "supported": name != "b/5"} for name in names)
    made = [pair("attributable", label)[1] for label in labels]
    rows = map(claims.ExpertClaim.model_validate, given)
    scores = claims.expert_scores(list(zip(rows, made, strict=True)))
    assert scores["autoais"].value == pytest.approx(2 / 3)
    assert (scores["precision"].value, scores["recall"].value) == pytest.approx((1, 0.5))
    assert (scores["f1"].n, scores["f1"].unjudged) == (5, 1)


def run_verify(out: Path, *rows: dict[str, Any], **given: Any) -> BenchmarkReport:
    return run("verify", write_rows(out.with_name("claims.jsonl"), *rows), out=out, **given)


def test_verified_claims_have_their_lines_in_order_and_scores_of_the_labelled(out: Path) -> None:
    report = run_verify(out, *LABELLED, BARE)
    made = [VerificationLine.model_validate(line) for line in lines(out)]
    labels = ["attributable", "contradictory", "extrapolatory", "attributable", "extrapolatory"]
    assert sorted((int(it.id), it.label) for it in made) == [*enumerate(labels, start=1)]
    shares, three, two = report.tables.values()
    assert (shares["all"]["extrapolatory"].value, report.counts["judged by people"]) == (2 / 5, 4)
    accuracy, f1 = three["all"]["accuracy"], two["all"]["f1"]
    assert (accuracy.value, accuracy.n, three["contradictory"]["recall"].value, f1.n) == (1, 3, 1, 4)
    assert len(run_verify(out.with_name("bare"), BARE).tables) == 1


def test_failed_judge_is_an_error_that_the_next_call_repeats(out: Path) -> None:
    judge = {"attribute": ScriptedModel(lambda asked: "no JSON", name="judge")}
    report = run_verify(out, *LABELLED, models=judge, limit=1)
    assert report.failed and "the claim could not be judged" in report.errors[0]
    assert run_verify(out, *LABELLED, models=judge, limit=1) == report and not lines(out)


@pytest.mark.loopback
def test_rows_with_the_same_evidence_share_a_request_and_jobs_bounds_the_requests(out: Path) -> None:
    rows = [{"claim": text, "evidence": DAM} for text in (HIGH, "Beavers build dams.", WRONG)]
    others = [{"claim": HIGH, "evidence": f"{DAM} It has {n} gates."} for n in (3, 5, 7)]
    with ScriptedServer(RuleModel(), latency=0.05) as server:
        given: dict[str, Any] = {"model": "vllm:rules", "base_url": server.url, "jobs": 2}
        labels = first_table(run_verify(out, *rows, BARE, *others, **given))["all"]
    assert [it.value for it in labels.values()] == [4 / 7, 2 / 7, 1 / 7, 0]
    assert (len(server.requests), server.in_flight_most) == (4, 2)


def test_scores_of_supported_or_not_by_hand() -> None:
    judged = [
        pair("attributable", "attributable", 0.9), pair("attributable", "attributable", 0.8),
        pair("attributable", "extrapolatory", 0.4), pair("extrapolatory", "extrapolatory", 0.3),
        pair("contradictory", "attributable", 0.6), pair("contradictory", None, None),
    ]  # fmt: skip
    scores = claims.supported_scores(judged)
    expected = [2 / 3, 2 / 3, 2 / 3, 3 / 5, (2 / 3 + 1 / 2) / 2, 5 / 6]
    names = ("precision", "recall", "f1", "accuracy", "balanced_accuracy", "auc")
    assert [scores[name].value for name in names] == pytest.approx(expected)
    assert (scores["auc"].n, scores["auc"].unjudged, claims.supported_scores([])) == (5, 1, {})
