"""Tests metrics, intervals and limits against values computed by hand and published values."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evals.doubles import score_row
from rarr.cli.options import parse_limits
from rarr.errors import InputError
from rarr.evals import metrics
from rarr.evals.evaluation import MEASURE_NAMES, EvalReport, ScoredRow, low_measure_messages, measures_of_rows
from rarr.evals.metrics import Measurement
from rarr.evals.rows import ATTRIBUTION_CLASSES

A, E, C = ATTRIBUTION_CLASSES


@pytest.mark.parametrize(
    ("values", "measured"),
    [
        ([0.0, 1.0], Measurement(value=0.5, low=0.0, high=1.0, n=2)),  # a quarter of the resamples is 0, 0
        ([None, None], Measurement(unjudged=2)),
        ([0.7, None], Measurement(value=0.7, n=1, unjudged=1)),  # one row says nothing about others
        ([0.5, 0.5, 0.5, None], Measurement(value=0.5, low=0.5, high=0.5, n=3, unjudged=1)),
    ],
)
def test_mean_counts_unjudged_values(values: list[float | None], measured: Measurement) -> None:
    assert metrics.mean(values) == measured


def test_resamples_without_the_statistic_are_left_out() -> None:
    def one_sided(rows: Sequence[float]) -> float | None:
        return 1.0 if 1.0 in rows else None

    assert metrics.bootstrap([0.0, 1.0], one_sided) == Measurement(value=1.0, low=1.0, high=1.0, n=2)
    assert metrics.bootstrap([0.0, 0.0], one_sided) == Measurement(n=2)


def test_wilson_interval() -> None:
    """Nine of ten rows, by the formula of Wilson (1927)."""
    z = 1.959964
    centre, spread = (0.9 + z**2 / 20) / (1 + z**2 / 10), math.sqrt(0.9 * 0.1 / 10 + z**2 / 400)
    measured, half = metrics.share([True] * 9 + [False, None]), z / (1 + z**2 / 10) * spread
    assert (measured.value, measured.n, measured.unjudged) == (0.9, 10, 1)
    assert (measured.low, measured.high) == pytest.approx((centre - half, centre + half), abs=1e-6)


@given(st.lists(st.sampled_from([True, False, None])))
def test_share_lies_in_its_interval(hits: list[bool | None]) -> None:
    measured = metrics.share(hits)
    assert measured.n + measured.unjudged == len(hits)
    if measured.n:
        assert measured.value is not None and measured.low is not None and measured.high is not None
        assert 0 <= measured.low <= measured.value <= measured.high <= 1


def test_kinds_of_a_revision_by_purr() -> None:
    by_scores: dict[tuple[float | None, ...], set[str]] = {
        (0.5, 0.9, 0.8): {"good"},
        (0.3, 0.6, 0.8): set(),  # a rise of 0.3 is not above its limit, whatever the rounding
        (0.95, 0.5, 0.4): {"huge", "bad", "unnecessary"},
        (0.9, 0.8, 0.5): set(),
        (0.9, 0.7, 0.5): {"bad"},
        (None, 0.5, 0.4): {"huge"},
        (0.5, 0.9, None): set(),
    }
    for case, kinds in by_scores.items():
        found = metrics.revision_kinds(score_row("r", *case).scores)
        assert {kind for kind, has in found.items() if has} == kinds
        assert (found["good"] is None) == (None in case)


def test_texts_beside_a_reference() -> None:
    assert metrics.rouge_l("The cat sat.", "the CAT sat") == 1
    assert metrics.rouge_l("a b c d", "a x c") == pytest.approx(2 * 2 / 7)
    assert (metrics.rouge_l("", ""), metrics.rouge_l("a", "")) == (1, 0)


def test_each_class_against_the_others() -> None:
    scores = metrics.class_measures([(A, A), (A, A), (E, A), (E, E), (C, E), (A, C)], ATTRIBUTION_CLASSES)
    by_class = [[scores[f"{name}_{kind}"] for kind in ("precision", "recall", "f1")] for name in (A, E, C)]
    assert by_class == [[2 / 3, 2 / 3, 4 / 6], [1 / 2, 1 / 2, 2 / 4], [0, 0, 0]]
    assert scores["accuracy"] == 3 / 6
    assert scores["balanced_accuracy"] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    lacking = metrics.class_measures([(A, A), (E, A)], ATTRIBUTION_CLASSES)
    assert [lacking[name] for name in (f"{C}_f1", f"{E}_recall", "balanced_accuracy")] == [None] * 3
    assert lacking["macro_f1"] == pytest.approx((2 / 3 + 0) / 2)  # a class that does not occur is in no mean


def test_roc_auc_counts_ties_half() -> None:
    pairs = [(0.9, True), (0.4, True), (0.6, False), (0.4, False)]
    assert metrics.roc_auc(pairs) == (1 + 1 + 0 + 1 / 2) / 4
    assert metrics.roc_auc([(0.9, True), (0.8, True)]) is None


# Krippendorff 2011, section C: four observers, twelve units, values missing.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
PUBLISHED = [[value for value in unit if value != "."] for unit in zip(*OBSERVERS, strict=True)]


@pytest.mark.parametrize(
    ("units", "scale", "ordinal", "alpha"),
    [
        (PUBLISHED, "12345", False, 0.743),
        (PUBLISHED, "12345", True, 0.815),
        # 4 a, 1 b, 3 c. Squares: a-b 6.25, a-c 20.25, b-c 4; 1 - 7 * 26.5 / 280.
        (["aa", "ab", "cc", "ac"], "abc", True, 0.3375),
        (["aa", "aa"], "ab", False, None),
    ],
)
def test_alpha_of_raters(units: Sequence[str], scale: str, ordinal: bool, alpha: float | None) -> None:
    found = metrics.rater_agreement(units, scale, ordinal)["alpha"].value
    assert found == (alpha if alpha is None else pytest.approx(alpha, abs=0.0005))


SAME_TEXT = {"original": "One.", "text": "One."}
JUDGED = (
    score_row("good", 0.2, 0.8, 0.9),
    score_row("bad", 0.95, 0.5, 0.4),
    score_row("same", 0.6, 0.6, 1.0, **SAME_TEXT),
    score_row("unjudged", None, None, 1.0, **SAME_TEXT),
    ScoredRow(id="error", **SAME_TEXT, error="no"),
)
SENTENCES = (
    score_row("a", statuses=("supported", "supported", "supported", "contradicted")),
    score_row("b", statuses=("no_evidence",)),
    score_row("c", statuses=()),
    JUDGED[-1],
)


def corrected_row(source: str, output: str, reference: str, **more: Any) -> ScoredRow:
    return score_row(source, original=source, text=output, reference=reference, **more)


CORRECTED = (
    corrected_row("a b", "a  c", "a c"),  # restored: white space does not count
    corrected_row("a b", "a b", "a c", lost_by="reading"),  # left wrong
    corrected_row("a b", "a b", "a b\n"),  # left right
    corrected_row("a b", "a b ", "a b"),  # changed, if only by a space
    corrected_row("a b", "a b", "a c", error="no"),
)


@pytest.mark.parametrize(
    ("name", "rows", "expected"),
    [
        ("attribution_before", JUDGED, (0.583333333, 3, 2)),
        ("attribution", JUDGED, (0.633333333, 3, 2)),
        ("preservation", JUDGED, (0.825, 4, 1)),
        # of the averages of three texts, 1.9 / 3 and 2.3 / 3; the mean of their own is 0.681
        ("f1_ap", JUDGED, (0.693650794, 3, 2)),
        ("changed", JUDGED, (0.5, 4, 1)),
        ("huge", JUDGED, (0.25, 4, 1)),
        ("unnecessary", JUDGED, (0.333333333, 3, 2)),
        ("supported", SENTENCES, (0.6, 2, 1)),
        ("retrieval_failed", SENTENCES, (0.0, 2, 1)),
        ("restored", CORRECTED, (0.5, 2, 1)),
        ("lost_by_reading", CORRECTED, (0.5, 2, 1)),
        ("lost_by_search", CORRECTED, (0.0, 2, 1)),
        ("untouched_when_correct", CORRECTED, (0.5, 2, 0)),
    ],
)
def test_measures_by_hand(name: str, rows: Sequence[ScoredRow], expected: tuple[float, int, int]) -> None:
    measure = measures_of_rows(rows)[name]
    assert (round(measure.value or 0, 9), measure.n, measure.unjudged) == expected
    assert set(measures_of_rows(CORRECTED)) == set(MEASURE_NAMES)


MEASURES = {"f1_ap": Measurement(value=0.1 + 0.2, n=3), "good": Measurement(unjudged=3)}
MEASURES["changed"] = Measurement(value=0.9, n=3, unjudged=1)


@pytest.mark.parametrize(
    ("limit", "messages"),
    [
        ("f1_ap=0.3", []),
        (" f1_ap = 0.31 ", ["f1_ap is 0.3, under its limit 0.31"]),
        ("good=0", ["good is not judged, so it may be under its limit 0"]),
        ("restored=0.5", ["restored is not judged, so it may be under its limit 0.5"]),
        ("changed=0.5", ["changed may be under its limit 0.5: rows with an error (1) are not judged"]),
    ],
)
def test_measure_under_its_limit_is_named(limit: str, messages: list[str]) -> None:
    limits = parse_limits([limit], MEASURE_NAMES)
    reports = [EvalReport(data="", measures=MEASURES, rows=rows) for rows in (JUDGED[-1:], ())]
    found = [low_measure_messages(report, limits) for report in reports]
    assert found == [messages, messages * (limit != "changed=0.5")]


@pytest.mark.parametrize("limit", ["f1_ap", "f1_ap=nan", "f1_ap=60"])
def test_limits_that_no_run_can_be_held_to_are_refused(limit: str) -> None:
    with pytest.raises(InputError, match=f"'{limit}' has no limit from 0 to 1"):
        parse_limits([limit], MEASURE_NAMES)
    with pytest.raises(InputError, match=r"unknown measure 'f1' in 'f1=0\.5': the measures are attr"):
        parse_limits(["f1=0.5"], MEASURE_NAMES)
