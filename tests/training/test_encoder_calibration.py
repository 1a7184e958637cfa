"""Decisions that are fitted again on rows that the weights did not learn from."""

import random

import pytest

from benchmarks.domain import domain_rows, training_rows
from rarr.backends.encoder.model_files import SHIPPED, checked_manifest
from rarr.backends.logistic import NEVER, Logistic
from rarr.training.encoder_calibration import (
    FEWEST,
    DecisionCase,
    at_precision,
    fit_decision,
    known_claims,
    recalibrated,
)

FIRST = Logistic(bias=0.0, weights={"sure": 1.0}, threshold=NEVER)


def cases(right: list[bool]) -> list[DecisionCase]:
    """One case for each label, with a feature between 0 and 1, in five groups."""
    return [DecisionCase(f"{n % 5}", {"sure": n / len(right)}, label) for n, label in enumerate(right)]


def test_a_threshold_is_a_probability_that_cases_reach() -> None:
    decision, fit = fit_decision("d", cases([n >= 60 for n in range(100)]), FIRST, at_precision(0.9))
    reached = [case for case in cases([True] * 100) if decision.holds(case.features)]
    assert (fit.kept, fit.cases, fit.threshold) == (False, 100, decision.threshold)
    assert 30 <= len(reached) <= 50
    assert fit.auc == pytest.approx(1.0, abs=0.01)


def test_a_decision_without_enough_precision_keeps_its_threshold() -> None:
    labels = [n % 2 == 0 for n in range(100)]
    random.Random(1).shuffle(labels)
    decision, fit = fit_decision("d", cases(labels), FIRST, at_precision(0.95))
    assert (decision, fit.kept, fit.threshold) == (FIRST, True, NEVER)
    assert fit.auc is not None


@pytest.mark.parametrize("right", [FEWEST - 1, 0])
def test_few_cases_change_nothing(right: int) -> None:
    labels = [n < right for n in range(100)]
    decision, fit = fit_decision("d", cases(labels), FIRST, at_precision(0.1))
    assert (decision, fit.kept, fit.auc) == (FIRST, True, None)


def test_cases_of_one_group_change_nothing() -> None:
    alike = [case._replace(group="one") for case in cases([n >= 50 for n in range(100)])]
    assert fit_decision("d", alike, FIRST, at_precision(0.9))[0] == FIRST


def test_a_row_gives_a_right_a_wrong_and_an_unsaid_claim() -> None:
    [row] = list(training_rows(domain_rows("train")))[:1]
    right, wrong, unsaid = known_claims(row, "group")
    assert (right.text, wrong.text, unsaid.text) == (row.summary, row.corrupted, row.summary)
    assert [wrong.text[slice(*place)] for place in wrong.wrong] == [row.edits[0].wrong]
    assert (right.unsaid, wrong.unsaid, unsaid.unsaid) == (False, False, True)
    assert unsaid.passage != right.passage == row.relevant[0].text


@pytest.mark.slow
def test_decisions_of_the_shipped_weights_are_recalibrated_to_the_domain() -> None:
    first = checked_manifest(None).calibration
    kept = [row for row in training_rows(domain_rows("train")) if row.relevant[0].title[0] == "T"]
    calibration, decisions = recalibrated(SHIPPED, kept, first)
    assert [decision.name for decision in decisions] == ["disagrees", "agrees", "contradicts", "supports"]
    assert not any(decision.kept for decision in decisions if decision.name in ("agrees", "supports"))
    assert calibration.supports != first.supports
    assert all(decision.threshold <= 1 for decision in decisions if not decision.kept)
