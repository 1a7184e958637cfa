"""Measures over scored rows, by hand."""

import pytest

from evals.makers import scored_row
from rarr.errors import InputError
from rarr.evals import measures
from rarr.evals.measures import EvalReport, ScoredRow, limits_of, measured, under
from rarr.evals.metrics import Measured


def value(name: str, *rows: ScoredRow) -> tuple[float | None, int, int]:
    measure = measured(rows)[name]
    return (None if measure.value is None else round(measure.value, 9), measure.n, measure.unjudged)


GOOD = scored_row("good", 0.2, 0.8, 0.9, text="Two.", original="One.")
BAD = scored_row("bad", 0.95, 0.5, 0.4, text="Two, three, four.")
SAME = scored_row("same", 0.6, 0.6)
UNJUDGED = scored_row("unjudged", None, None)
ERROR = ScoredRow(id="error", original="One.", text="One.", error="no")


def test_means_leave_out_and_count_unjudged_rows() -> None:
    assert value("attribution_before", GOOD, SAME, UNJUDGED, ERROR) == (0.4, 2, 2)
    assert value("attribution_after", GOOD, SAME, UNJUDGED, ERROR) == (0.7, 2, 2)
    assert value("preservation", GOOD, SAME, UNJUDGED, ERROR) == (0.966666667, 3, 1)


def test_f1_ap_is_that_of_the_averages_as_in_the_paper() -> None:
    """Of three texts: attribution 1.9 / 3, preservation 2.3 / 3; the mean of their own is another."""
    rows = (GOOD, BAD, SAME, UNJUDGED, ERROR)
    attribution, preservation = (0.8 + 0.5 + 0.6) / 3, (0.9 + 0.4 + 1.0) / 3
    f1 = 2 * attribution * preservation / (attribution + preservation)
    assert value("f1_ap", *rows) == (round(f1, 9), 3, 2)
    own = [row.scores.f1_ap for row in (GOOD, BAD, SAME)]
    assert (round(sum(filter(None, own)) / 3, 3), round(f1, 3)) == (0.681, 0.694)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("changed", (0.5, 4, 1)),
        ("huge", (0.25, 4, 1)),
        ("bad", (0.333333333, 3, 2)),
        ("unnecessary", (0.333333333, 3, 2)),
        ("good", (0.333333333, 3, 2)),
    ],
)
def test_shares_of_rows(name: str, expected: tuple[float, int, int]) -> None:
    assert value(name, GOOD, BAD, SAME, UNJUDGED, ERROR) == expected


def test_statuses_are_shares_of_sentences_over_rows() -> None:
    row = scored_row("a", 1, 1, statuses=("supported", "supported", "supported", "contradicted"))
    other = scored_row("b", 1, 1, statuses=("no_evidence",))
    empty = scored_row("c", 1, 1)
    assert value("supported", row, other, empty, ERROR) == (0.6, 2, 1)
    assert value("no_evidence", row, other, empty) == (0.2, 2, 0)
    assert value("retrieval_failed", row, other, empty) == (0.0, 2, 0)


def corrected(source: str, output: str, reference: str | None) -> ScoredRow:
    return scored_row(source, 1, 1, original=source, text=output, reference=reference)


@pytest.mark.slow
def test_corrections_by_hand() -> None:
    rows = [
        corrected("a b", "a c", "a c"),  # restored
        corrected("a b", "a b", "a c"),  # left wrong
        corrected("a b", "a b", "a b"),  # left right
        corrected("a b", "x b", "a b"),  # made wrong
        scored_row("e", None, None, None, original="a b", text="a b", reference="a c", error="no"),
    ]
    assert value("restored", *rows) == (0.5, 2, 1)
    assert value("untouched_when_correct", *rows) == (0.5, 2, 0)


def test_white_space_is_no_change_by_a_person_and_is_one_by_a_system() -> None:
    rows = [
        corrected("a b", "a b", "a b\n"),
        corrected("a b", "a b ", "a b"),
        corrected("a c", "a  b", "a b"),
    ]
    assert value("untouched_when_correct", *rows) == (0.5, 2, 0)
    assert value("restored", *rows) == (1.0, 1, 0)


def test_all_names_are_those_of_measures() -> None:
    rows = [corrected("a b", "a c", "a c"), corrected("a", "a", "a")]
    assert set(measured(rows)) == set(measures.NAMES)


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
