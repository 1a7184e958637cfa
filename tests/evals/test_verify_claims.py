"""Claims of a file are verified once each; interrupted runs continue; wrong lines are named."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.doubles import lines, write_rows
from rarr.agent.verify import ClaimVerifier
from rarr.errors import InputError
from rarr.evals import run_folder
from rarr.evals.claim_rows import read_claims
from rarr.evals.verified_claims import VerificationReport, verify_claims
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
    report = verify_claims(data, out)
    assert [(row.id, row.label, row.gold) for row in report.rows] == [
        ("right", "attributable", "attributable"),
        ("wrong", "contradictory", "contradictory"),
        ("bare", "extrapolatory", None),
    ]
    assert report.scores is not None
    assert (report.scores.three_way["accuracy"].value, report.scores.three_way["accuracy"].n) == (1, 2)
    assert VerificationReport.model_validate_json((out / "report.json").read_bytes()) == report


def test_each_claim_is_a_line(data: Path, out: Path) -> None:
    verify_claims(data, out, jobs=1)
    assert [list(line) for line in lines(out)] == [["id", "verification"]] * 3
    verified = Verification.model_validate(lines(out)[1]["verification"])
    assert verified.decided_by is not None and verified.decided_by.evidence_id == "p2"


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_interrupted_run_continues(kept: int, data: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = verify_claims(data, out, jobs=1)
    written = (out / "predictions.jsonl").read_bytes().splitlines(keepends=True)
    (out / "predictions.jsonl").write_bytes(b"".join(written[:kept]) + written[kept][:30])
    asked: list[str] = []
    verified = ClaimVerifier.averify_together

    async def counted(self: Any, claims: Sequence[str], *given: Any) -> list[Verification]:
        asked.extend(claims)
        return await verified(self, claims, *given)

    monkeypatch.setattr(ClaimVerifier, "averify_together", counted)
    assert verify_claims(data, out) == whole
    assert len(asked) == 3 - kept


def test_claims_without_a_label_are_not_scored(tmp_path: Path, out: Path) -> None:
    assert verify_claims(write_rows(tmp_path / "claims.jsonl", BARE), out).scores is None


def test_failed_judge_is_an_error_that_the_next_call_repeats(data: Path, out: Path) -> None:
    judge = Settings(models={"attribute": ScriptedModel(lambda asked: "no JSON")}, attempts=1)
    report = verify_claims(data, out, settings=judge, limit=1)
    assert "support by p1 could not be judged" in report.rows[0].error
    assert [list(line) for line in lines(out)] == [["id", "error"]]
    again = verify_claims(data, out, settings=judge, limit=1)
    assert again == report and len(lines(out)) == 1


def test_rows_with_the_same_evidence_share_a_request(tmp_path: Path, out: Path) -> None:
    texts = [HIGH, "Beavers build dams.", "The Hoover Dam is 212 metres high."]
    rows = [{"id": str(n), "claim": text, "evidence": DAM} for n, text in enumerate(texts)]
    model = ScriptedModel(RuleModel())
    report = verify_claims(
        write_rows(tmp_path / "claims.jsonl", *rows, BARE), out, settings=Settings(model=model), jobs=1
    )
    assert [row.label for row in report.rows] == [
        "attributable", "extrapolatory", "contradictory", "extrapolatory",
    ]  # fmt: skip
    assert len(model.calls) == 1


def test_folder_of_another_judge_is_refused(data: Path, out: Path) -> None:
    verify_claims(data, out, limit=1)
    with pytest.raises(InputError, match="holds a run with models"):
        verify_claims(data, out, settings=Settings(models={"attribute": "embedded"}))


def test_folder_of_another_command_is_named(data: Path, out: Path) -> None:
    verify_claims(data, out, limit=1)
    with pytest.raises(InputError, match="holds a run of rarr verify: give another folder"):
        run_folder.check(out, {"version": "1", "data": "", "settings": {}, "corpora": {}})


def test_number_of_rows_is_at_least_1(data: Path, out: Path) -> None:
    with pytest.raises(InputError, match="give at least 1"):
        verify_claims(data, out, jobs=0)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"evidence": DAM}, 'it has no "claim"'),
        ({"claim": " ", "evidence": DAM}, 'it has an empty "claim"'),
        ({"claim": "A."}, 'it has no "evidence": give a text, or a list of passages, which may be empty'),
        ({"claim": "A.", "evidence": 3}, 'its "evidence" is neither a text nor a list of passages'),
        ({"claim": "A.", "evidence": [3]}, 'evidence 1 is not an object with a "text"'),
        ({"claim": "A.", "evidence": [DAM, ""]}, 'evidence 2 has an empty "text"'),
        (
            {"claim": "A.", "evidence": DAM, "label": "true"},
            "its \"label\" is 'true': give attributable, extra",
        ),
        (
            {"claim": "A.", "evidence": DAM, "supported": "yes"},
            'it has a "supported" that is neither true nor',
        ),
        (
            {"claim": "A.", "evidence": DAM, "label": "attributable", "supported": False},
            'its "label" is \'attributable\', but its "supported" is false: keep one',
        ),
        ("nope", "it is not JSON"),
        (RIGHT, "its id 'right' is that of an earlier line"),
    ],
)
def test_wrong_line_is_told_by_number(line: Any, reason: str, tmp_path: Path) -> None:
    read = read_claims(write_rows(tmp_path / "claims.jsonl", RIGHT, line, BARE))
    assert [row.id for row in read.rows] == ["right", "bare"]
    [unreadable] = read.unreadable
    assert unreadable.line == 2 and unreadable.reason.startswith(reason)


def test_label_decides_whether_a_claim_is_supported(tmp_path: Path) -> None:
    only = {"claim": "A.", "evidence": DAM, "supported": True}
    rows = read_claims(write_rows(tmp_path / "claims.jsonl", RIGHT, WRONG, BARE, only)).rows
    assert [(row.label, row.supported) for row in rows] == [
        ("attributable", True), ("contradictory", False), (None, None), (None, True),
    ]  # fmt: skip


def test_packed_data_are_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "claims.jsonl.gz", "wt") as file:
        file.write(json.dumps(RIGHT))
    assert len(read_claims(tmp_path / "claims.jsonl.gz").rows) == 1


def test_data_without_a_claim_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'has no row \(line 1: it has no "claim"\): give a line such as'):
        read_claims(write_rows(tmp_path / "claims.jsonl", {}))
