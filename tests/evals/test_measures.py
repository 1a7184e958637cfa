"""Measures over scored rows, and limits, by hand."""

from typing import Any

import pytest

from evals.makers import row
from rarr.errors import InputError
from rarr.evals.evaluation import NAMES, EvalReport, ScoredRow, limits_of, measured, under
from rarr.evals.metrics import Measured

SAME_TEXT = {"original": "One.", "text": "One."}
ROWS = (
    row("good", 0.2, 0.8, 0.9),
    row("bad", 0.95, 0.5, 0.4),
    row("same", 0.6, 0.6, 1.0, **SAME_TEXT),
    row("unjudged", None, None, 1.0, **SAME_TEXT),
    ScoredRow(id="error", **SAME_TEXT, error="no"),
)


def value(name: str, *rows: ScoredRow) -> tuple[float | None, int, int]:
    measure = measured(rows)[name]
    return (None if measure.value is None else round(measure.value, 9), measure.n, measure.unjudged)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("attribution_before", (0.583333333, 3, 2)),
        ("attribution_after", (0.633333333, 3, 2)),
        ("preservation", (0.825, 4, 1)),
        # of the averages of three texts, 1.9 / 3 and 2.3 / 3; the mean of their own is 0.681
        ("f1_ap", (0.693650794, 3, 2)),
        ("changed", (0.5, 4, 1)),
        ("huge", (0.25, 4, 1)),
        ("bad", (0.333333333, 3, 2)),
        ("unnecessary", (0.333333333, 3, 2)),
        ("good", (0.333333333, 3, 2)),
    ],
)
def test_rows_that_were_not_judged_are_left_out_and_counted(
    name: str, expected: tuple[float, int, int]
) -> None:
    assert value(name, *ROWS) == expected


def test_statuses_are_shares_of_sentences_over_rows() -> None:
    one = row("a", statuses=("supported", "supported", "supported", "contradicted"))
    rows = (one, row("b", statuses=("no_evidence",)), row("c", statuses=()), ROWS[-1])
    assert value("supported", *rows) == (0.6, 2, 1)
    assert value("retrieval_failed", *rows) == (0.0, 2, 1)


def corrected(source: str, output: str, reference: str, **more: Any) -> ScoredRow:
    return row(source, original=source, text=output, reference=reference, **more)


def test_corrections_beside_a_person_by_hand() -> None:
    rows = [
        corrected("a b", "a  c", "a c"),  # restored: white space does not count
        corrected("a b", "a b", "a c"),  # left wrong
        corrected("a b", "a b", "a b\n"),  # left right
        corrected("a b", "a b ", "a b"),  # changed, if only by a space
        corrected("a b", "a b", "a c", error="no"),
    ]
    assert value("restored", *rows) == (0.5, 2, 1)
    assert value("untouched_when_correct", *rows) == (0.5, 2, 0)
    assert set(measured(rows)) == set(NAMES)


REPORT = EvalReport(data="", measures={"f1_ap": Measured(value=0.1 + 0.2, n=3), "good": Measured(unjudged=3)})


@pytest.mark.parametrize(
    ("limit", "messages"),
    [
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
    assert under(EvalReport(data="d", measures=measures), limits) == []
    assert under(EvalReport(data="d", measures=measures, rows=ROWS[-1:]), limits) == [
        "f1_ap may be under its limit 0.5: it is not judged for rows with an error (1)"
    ]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("f1=0.5", "unknown measure 'f1' in 'f1=0.5': the measures are attribution_before"),
        ("f1_ap", "'f1_ap' has no limit from 0 to 1"),
        ("f1_ap=nan", "no limit from 0 to 1"),
        ("f1_ap=60", "no limit from 0 to 1"),
    ],
)
def test_limits_that_no_run_can_be_held_to_are_refused(limit: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        limits_of([limit])
