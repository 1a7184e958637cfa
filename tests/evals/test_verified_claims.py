"""Claims of a file are verified, and scored beside their labels."""

from pathlib import Path

import pytest

from evals.doubles import lines, write_rows
from rarr.evals.benchmarks import claims as verified_claims
from rarr.evals.benchmarks.claims import VerifiedLine
from rarr.evals.rows import ClaimRow
from rarr.records import AttributionClass
from rarr.records.verification import Verification
from rarr.settings import Settings
from rarr.testing import RuleModel, ScriptedModel

DAM = "Hoover Dam is 221 metres high and 379 metres long."
HIGH = "The Hoover Dam is 221 metres high."
RIGHT = {"id": "right", "claim": HIGH, "evidence": DAM, "label": "Attributable"}
WRONG = {
    "id": "wrong",
    "claim": "The Hoover Dam is 212 metres high.",
    "evidence": ["It is popular.", {"text": DAM}],
    "label": "contradictory",
}
BARE = {"id": "bare", "claim": HIGH, "evidence": []}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "claims.jsonl", RIGHT, WRONG, BARE)


def test_report_has_rows_in_order_and_scores_of_the_labelled(data: Path, out: Path) -> None:
    report = verified_claims.verify_claims(data, out)
    assert [(row.id, row.label, row.gold) for row in report.rows] == [
        ("right", "attributable", "attributable"),
        ("wrong", "contradictory", "contradictory"),
        ("bare", "extrapolatory", None),
    ]
    assert report.scores is not None
    assert (report.scores.three_way["accuracy"].value, report.scores.three_way["accuracy"].n) == (1, 2)
    assert (
        verified_claims.VerificationReport.model_validate_json((out / "report.json").read_bytes()) == report
    )


def test_failed_judge_is_an_error_that_the_next_call_repeats(data: Path, out: Path) -> None:
    judge = Settings(models={"attribute": ScriptedModel(lambda asked: "no JSON")})
    report = verified_claims.verify_claims(data, out, settings=judge, limit=1)
    assert "the claim could not be judged" in report.rows[0].error
    assert [list(line) for line in lines(out)] == [["id", "error"]]
    again = verified_claims.verify_claims(data, out, settings=judge, limit=1)
    assert again == report and len(lines(out)) == 1


def test_rows_with_the_same_evidence_share_a_request(tmp_path: Path, out: Path) -> None:
    texts = [HIGH, "Beavers build dams.", "The Hoover Dam is 212 metres high."]
    rows = [{"id": str(n), "claim": text, "evidence": DAM} for n, text in enumerate(texts)]
    model = ScriptedModel(RuleModel())
    report = verified_claims.verify_claims(
        write_rows(tmp_path / "claims.jsonl", *rows, BARE), out, settings=Settings(model=model), jobs=1
    )
    assert [row.label for row in report.rows] == [
        "attributable", "extrapolatory", "contradictory", "extrapolatory",
    ]  # fmt: skip
    assert len(model.calls) == 1


def judged(
    gold: AttributionClass, label: AttributionClass | None, probability: float | None
) -> tuple[ClaimRow, VerifiedLine]:
    row = ClaimRow.model_validate({"id": "a", "claim": "A.", "evidence": [], "label": gold})
    return row, VerifiedLine(
        id="a", verification=Verification(claim="A.", label=label, probability=probability)
    )


CLAIMS = [
    judged("attributable", "attributable", 0.9),
    judged("attributable", "attributable", 0.8),
    judged("attributable", "extrapolatory", 0.4),
    judged("extrapolatory", "extrapolatory", 0.3),
    judged("contradictory", "attributable", 0.6),
    judged("contradictory", None, None),
]


def test_scores_of_supported_or_not_by_hand() -> None:
    scores = verified_claims.claim_scores(CLAIMS)
    two = {name: measure.value for name, measure in scores.two_way.items()}
    expected = [2 / 3, 2 / 3, 3 / 5, (2 / 3 + 1 / 2) / 2, 5 / 6]
    names = ("precision", "recall", "accuracy", "balanced_accuracy", "auc")
    assert [two[name] for name in names] == pytest.approx(expected)
    assert (scores.two_way["auc"].n, scores.two_way["auc"].unjudged) == (5, 1)
    assert scores.confusion["contradictory"] == {"attributable": 1, "extrapolatory": 0, "contradictory": 0}
    assert verified_claims.claim_scores([]) == verified_claims.ClaimScores()
