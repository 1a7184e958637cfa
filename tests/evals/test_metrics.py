"""Metrics, intervals, measures over scored rows and limits: by hand, and against published values."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evals.doubles import scored
from rarr.errors import InputError
from rarr.evals import metrics
from rarr.evals.evaluation import NAMES, EvalReport, ScoredRow, measured, under
from rarr.evals.metrics import limits_of
from rarr.evals.rows import ATTRIBUTION_CLASSES
from rarr.records import Scores

A, E, C = ATTRIBUTION_CLASSES


@pytest.mark.parametrize(
    ("values", "measured"),
    [
        (
            [0.0, 1.0],
            metrics.Measured(value=0.5, low=0.0, high=1.0, n=2),
        ),  # a quarter of the resamples is 0, 0
        ([], metrics.Measured()),
        ([None, None], metrics.Measured(unjudged=2)),
        ([0.7, None], metrics.Measured(value=0.7, n=1, unjudged=1)),  # one row says nothing about others
        ([0.5, 0.5, 0.5, None], metrics.Measured(value=0.5, low=0.5, high=0.5, n=3, unjudged=1)),
    ],
)
def test_mean_counts_unjudged_values(values: list[float | None], measured: metrics.Measured) -> None:
    assert metrics.mean(values) == measured


def test_resamples_without_the_statistic_are_left_out() -> None:
    def one_sided(rows: Sequence[float]) -> float | None:
        return 1.0 if 1.0 in rows else None

    assert metrics.bootstrap([0.0, 1.0], one_sided) == metrics.Measured(value=1.0, low=1.0, high=1.0, n=2)
    assert metrics.bootstrap([0.0, 0.0], one_sided) == metrics.Measured(n=2)


def test_wilson_interval() -> None:
    """Nine of ten, by the formula of Wilson 1927."""
    z = 1.959964
    centre, spread = (0.9 + z**2 / 20) / (1 + z**2 / 10), math.sqrt(0.9 * 0.1 / 10 + z**2 / 400)
    measured = metrics.share([True] * 9 + [False, None])
    assert (measured.value, measured.n, measured.unjudged) == (0.9, 10, 1)
    assert measured.low == pytest.approx(centre - z * spread / (1 + z**2 / 10), abs=1e-6)
    assert measured.high == pytest.approx(centre + z * spread / (1 + z**2 / 10), abs=1e-6)


@given(st.lists(st.sampled_from([True, False, None])))
def test_share_lies_in_its_interval(hits: list[bool | None]) -> None:
    measured = metrics.share(hits)
    assert measured.n + measured.unjudged == len(hits)
    if measured.n:
        assert measured.value is not None and measured.low is not None and measured.high is not None
        assert 0 <= measured.low <= measured.value <= measured.high <= 1


@pytest.mark.parametrize(
    ("attribution", "preservation", "f1"),
    [(54.9, 89.6, 68.1), (59.8, 91.0, 72.2), (58.2, 31.0, 40.4), (28.7, 80.1, 42.2)],
)
def test_published_f1_ap_of_rarr_and_purr(attribution: float, preservation: float, f1: float) -> None:
    """The averages are themselves rounded, which moves the last digit by one at most."""
    measured = metrics.f1_ap_of_set([(attribution / 100, preservation / 100)])
    assert 100 * (measured.value or 0) == pytest.approx(f1, abs=0.1)


def test_f1_ap_of_three_texts_is_that_of_their_averages() -> None:
    """Both averages are 0.7. The mean of the texts' own F1_AP, 1/3, 1/3 and 0.9, would be 0.522."""
    measured = metrics.f1_ap_of_set([(0.2, 1.0), (1.0, 0.2), (0.9, 0.9), (None, 0.5)])
    assert measured.value == pytest.approx(0.7)
    assert (measured.n, measured.unjudged, metrics.f1_ap_of_set([]).value) == (3, 1, None)


@pytest.mark.parametrize(
    ("before", "after", "preservation", "kinds"),
    [
        (0.5, 0.9, 0.8, {"good"}),
        (0.3, 0.6, 0.8, set()),  # a rise of 0.3 is not above its limit, whatever the rounding
        (0.95, 0.5, 0.4, {"huge", "bad", "unnecessary"}),
        (0.9, 0.8, 0.5, set()),
        (0.9, 0.7, 0.5, {"bad"}),
        (None, 0.5, 0.4, {"huge"}),
        (0.5, 0.9, None, set()),
    ],
)
def test_kinds_of_a_revision_by_purr(
    before: float | None, after: float | None, preservation: float | None, kinds: set[str]
) -> None:
    scores = Scores(attribution_before=before, attribution_after=after, preservation=preservation)
    found = metrics.edit_kinds(scores)
    assert {kind for kind, has in found.items() if has} == kinds
    assert (found["good"] is None) == (before is None or preservation is None)


def test_texts_beside_a_reference() -> None:
    assert metrics.rouge_l("The cat sat.", "the CAT sat") == 1
    assert metrics.rouge_l("a b c d", "a x c") == pytest.approx(2 * 2 / 7)
    assert (metrics.rouge_l("", ""), metrics.rouge_l("a", "")) == (1, 0)
    assert metrics.restored("a  b\n", "a b") and not metrics.restored("A b", "a b")


def test_each_class_against_the_others() -> None:
    scores = metrics.classification([(A, A), (A, A), (E, A), (E, E), (C, E), (A, C)], ATTRIBUTION_CLASSES)
    by_class = [[scores[f"{name}_{kind}"] for kind in ("precision", "recall", "f1")] for name in (A, E, C)]
    assert by_class == [[2 / 3, 2 / 3, 4 / 6], [1 / 2, 1 / 2, 2 / 4], [0, 0, 0]]
    assert scores["accuracy"] == 3 / 6
    assert scores["balanced_accuracy"] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_class_that_does_not_occur_is_in_no_mean() -> None:
    scores = metrics.classification([(A, A), (E, A)], ATTRIBUTION_CLASSES)
    assert [scores[name] for name in (f"{C}_f1", f"{E}_recall", "balanced_accuracy")] == [None] * 3
    assert scores["macro_f1"] == pytest.approx((2 / 3 + 0) / 2)


@pytest.mark.parametrize(
    ("pairs", "area"),
    [
        ([(0.9, True), (0.8, True), (0.1, False)], 1.0),
        ([(0.1, True), (0.9, False)], 0.0),
        ([(0.5, True), (0.5, False)], 1 / 2),  # a tie
        ([(0.9, True), (0.4, True), (0.6, False), (0.4, False)], (1 + 1 + 0 + 1 / 2) / 4),
        ([(0.9, True), (0.8, True)], None),
        ([], None),
    ],
)
def test_roc_auc(pairs: list[tuple[float, bool]], area: float | None) -> None:
    assert metrics.roc_auc(pairs) == area


# Krippendorff 2011, section C: four observers, twelve units, values missing.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
PUBLISHED = [[value for value in unit if value != "."] for unit in zip(*OBSERVERS, strict=True)]


@pytest.mark.parametrize(
    ("units", "scale", "ordinal", "alpha"),
    [
        (PUBLISHED, "12345", False, 0.743),
        (PUBLISHED, "12345", True, 0.815),
        (["aab", "bb", "c"], "abc", False, 1 / 3),  # 2 a and 3 b: observed 2 / (3 - 1), 1 - 4 * 1 / 6
        # 4 a, 1 b, 3 c. Squares: a-b 6.25, a-c 20.25, b-c 4; 1 - 7 * 26.5 / 280.
        (["aa", "ab", "cc", "ac"], "abc", True, 0.3375),
        (["aa", "aa"], "ab", False, None),
    ],
)
def test_alpha_of_raters(units: Sequence[str], scale: str, ordinal: bool, alpha: float | None) -> None:
    counts = [tuple(unit.count(value) for value in scale) for unit in units if len(unit) > 1]
    found = metrics.krippendorff_alpha(counts, ordinal=ordinal)
    assert found == (alpha if alpha is None else pytest.approx(alpha, abs=0.0005))


def test_rater_agreement_has_intervals_and_counts_units_with_one_value() -> None:
    measured = metrics.rater_agreement([["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"], ["a"], []], "ab")
    assert measured["alpha"].value == pytest.approx(8 / 15)
    assert measured["percent"].value == 3 / 4
    assert (measured["alpha"].n, measured["alpha"].unjudged) == (4, 2)
    assert (measured["percent"].low or 1) < 0.75 < (measured["percent"].high or 0)


SAME_TEXT = {"original": "One.", "text": "One."}
JUDGED = (
    scored("good", 0.2, 0.8, 0.9),
    scored("bad", 0.95, 0.5, 0.4),
    scored("same", 0.6, 0.6, 1.0, **SAME_TEXT),
    scored("unjudged", None, None, 1.0, **SAME_TEXT),
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
    assert value(name, *JUDGED) == expected


def test_statuses_are_shares_of_sentences_over_rows() -> None:
    one = scored("a", statuses=("supported", "supported", "supported", "contradicted"))
    rows = (one, scored("b", statuses=("no_evidence",)), scored("c", statuses=()), JUDGED[-1])
    assert value("supported", *rows) == (0.6, 2, 1)
    assert value("retrieval_failed", *rows) == (0.0, 2, 1)


def corrected(source: str, output: str, reference: str, **more: Any) -> ScoredRow:
    return scored(source, original=source, text=output, reference=reference, **more)


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


REPORT = EvalReport(
    data="", measures={"f1_ap": metrics.Measured(value=0.1 + 0.2, n=3), "good": metrics.Measured(unjudged=3)}
)


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
    assert under(REPORT, limits_of([limit], NAMES)) == messages


def test_limit_fails_where_rows_with_an_error_were_not_judged() -> None:
    measures = {
        "f1_ap": metrics.Measured(value=0.9, n=3, unjudged=1),
        "restored": metrics.Measured(value=0.9, n=2),
    }
    limits = limits_of(["f1_ap=0.5", "restored=0.5"], NAMES)
    assert under(EvalReport(data="d", measures=measures), limits) == []
    assert under(EvalReport(data="d", measures=measures, rows=JUDGED[-1:]), limits) == [
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
        limits_of([limit], NAMES)
