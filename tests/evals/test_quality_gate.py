"""Limits that measures must not be under."""

import pytest

from rarr.errors import InputError
from rarr.evals.metrics import Measured
from rarr.evals.quality_gate import limits_of, under
from rarr.evals.report_records import EvalReport, ScoredRow

REPORT = EvalReport(
    data="d", measures={"f1_ap": Measured(value=0.1 + 0.2, n=3), "good": Measured(unjudged=3)}
)


@pytest.mark.parametrize(
    ("limit", "messages"),
    [
        ("f1_ap=0.29", []),
        ("f1_ap=0.3", []),
        (" f1_ap = 0.31 ", ["f1_ap is 0.3, under its limit 0.31"]),
        ("good=0", ["good is not judged, under its limit 0"]),
        ("restored=0.5", ["restored is not judged, under its limit 0.5"]),
    ],
)
def test_measure_under_its_limit_is_named(limit: str, messages: list[str]) -> None:
    assert under(REPORT, limits_of([limit])) == messages


def test_limit_fails_where_rows_with_an_error_were_not_judged() -> None:
    measures = {"f1_ap": Measured(value=0.9, n=3, unjudged=1), "restored": Measured(value=0.9, n=2)}
    limits = limits_of(["f1_ap=0.5", "restored=0.5"])
    error = ScoredRow(id="a", original="One.", text="One.", error="no")
    assert under(EvalReport(data="d", measures=measures), limits) == []
    assert under(EvalReport(data="d", measures=measures, rows=(error,)), limits) == [
        "f1_ap may be under its limit 0.5: it is not judged for rows with an error (1)"
    ]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (["f1=0.5"], "unknown measure 'f1' in 'f1=0.5': the measures are attribution_before"),
        ([""], "unknown measure ''"),
        (["f1_ap"], "'f1_ap' has no limit from 0 to 1"),
        (["f1_ap=much"], "no limit from 0 to 1"),
        (["f1_ap=nan"], "no limit from 0 to 1"),
        (["f1_ap=60"], "no limit from 0 to 1"),
        (["f1_ap=0.5", "f1_ap=0.6"], "f1_ap has two limits"),
    ],
)
def test_limits_that_no_run_can_be_held_to_are_refused(limits: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        limits_of(limits)


def test_limit_of_a_measure_without_its_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rarr.evals.measures.find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install"):
        limits_of(["rouge_l=0.5"])
