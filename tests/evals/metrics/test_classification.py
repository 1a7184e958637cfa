"""AttrScore's classes and yes or no against people, by hand."""

import pytest
from hypothesis import strategies as st

from rarr import InputError
from rarr.evals.metrics.classification import (
    ATTRIBUTION_CLASSES,
    ClassScores,
    classification,
    detection,
    roc_auc,
)

A, E, C = ATTRIBUTION_CLASSES
LABELS = [A, A, A, E, E, C]
PREDICTED = [A, A, E, E, C, A]

CLASSES = st.sampled_from(ATTRIBUTION_CLASSES)
ROWS = st.lists(st.tuples(st.none() | CLASSES, CLASSES))


def test_each_class_against_the_others() -> None:
    scores = classification(PREDICTED, LABELS).classes
    assert scores[A] == ClassScores(precision=2 / 3, recall=2 / 3, f1=2 * 2 / (3 + 3), n=3)
    assert scores[E] == ClassScores(precision=1 / 2, recall=1 / 2, f1=2 * 1 / (2 + 2), n=2)
    assert scores[C] == ClassScores(precision=0 / 1, recall=0 / 1, f1=0.0, n=1)


def test_confusion_has_labels_first() -> None:
    assert classification(PREDICTED, LABELS).confusion == {
        A: {A: 2, E: 1, C: 0},
        E: {A: 0, E: 1, C: 1},
        C: {A: 1, E: 0, C: 0},
    }


def test_class_that_does_not_occur_is_in_no_mean() -> None:
    whole = classification([A, E], [A, A])
    assert whole.classes[C] == ClassScores(precision=None, recall=None, f1=None, n=0)
    assert whole.classes[E] == ClassScores(precision=0.0, recall=None, f1=0.0, n=0)
    assert whole.macro_f1 == pytest.approx((2 / 3 + 0) / 2)
    assert whole.balanced_accuracy is None  # labels of one class


def test_unknown_class_is_named() -> None:
    with pytest.raises(InputError, match="no class 'refuted': there are attributable, "):
        classification(["refuted"], [A])


@pytest.mark.parametrize("metric", [classification, detection, roc_auc])
def test_lists_of_different_lengths_are_refused(metric: object) -> None:
    assert callable(metric)
    with pytest.raises(InputError, match="predictions: 2, labels: 1"):
        metric([True, False], [True])


def test_detection() -> None:
    predicted = [True, True, True, False, False, None]
    scores = detection(predicted, [True, True, False, True, False, True])
    assert (scores["precision"], scores["recall"], scores["f1"]) == (2 / 3, 2 / 3, 2 * 2 / (3 + 3))
    assert (scores["accuracy"], scores["balanced_accuracy"]) == (3 / 5, (2 / 3 + 1 / 2) / 2)
    never = detection([False, False], [True, False])
    assert (never["precision"], never["recall"], never["f1"]) == (None, 0.0, 0.0)


@pytest.mark.parametrize(
    ("scores", "labels", "area"),
    [
        ([0.9, 0.8, 0.1], [True, True, False], 1.0),
        ([0.1, 0.9], [True, False], 0.0),
        ([0.5, 0.5], [True, False], 1 / 2),  # a tie
        ([0.9, 0.4, 0.6, 0.4], [True, True, False, False], (1 + 1 + 0 + 1 / 2) / 4),
        ([0.9, None, 0.1], [True, False, False], 1.0),
        ([0.9, 0.8], [True, True], None),
        ([], [], None),
    ],
)
def test_roc_auc(scores: list[float | None], labels: list[bool], area: float | None) -> None:
    assert roc_auc(scores, labels) == area
