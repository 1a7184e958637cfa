"""Compares verifiers with people: the classes of AttrScore, and yes or no as in ExpertQA.

A row without a prediction or label (None) is not used, and counted as `unjudged`. A ratio that is not
defined, such as the precision of a class that was never predicted, is None.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TypeVar, get_args

from rarr.errors import InputError
from rarr.records import AttributionClass, Record

ATTRIBUTION_CLASSES: tuple[AttributionClass, ...] = get_args(AttributionClass)
"""The classes of AttrScore (Yue et al. 2023, section 2)."""


class ClassScores(Record):
    """Precision, recall and F1 of one class, from 0 to 1. `n` rows have it as their label."""

    precision: float | None
    recall: float | None
    f1: float | None
    n: int


class Classification(Record):
    """The scores of predictions against labels.

    `confusion[label][prediction]` counts rows; all other values are from 0 to 1. `macro_f1` is the mean F1 of
    the classes that were predicted or are labels. `balanced_accuracy` is the mean recall of the classes that
    are labels, None for fewer than two. With one label for each row, micro-F1 is the share of correct rows.
    """

    classes: dict[str, ClassScores]
    confusion: dict[str, dict[str, int]]
    micro_f1: float | None
    macro_f1: float | None
    balanced_accuracy: float | None
    n: int
    unjudged: int


def classification(
    predicted: Sequence[str | None],
    labels: Sequence[str | None],
    classes: Sequence[str] = ATTRIBUTION_CLASSES,
) -> Classification:
    """Computes the scores of each class and of all classes together (Yue et al. 2023, section 5).

    Raises `InputError` for lists of different lengths, and for a class that is not in `classes`.
    """
    rows = _judged(predicted, labels)
    if unknown := {name for row in rows for name in row} - set(classes):
        raise InputError(f"no class {min(unknown)!r}: there are {', '.join(classes)}")
    pairs = Counter((label, prediction) for prediction, label in rows)
    confusion = {label: {prediction: pairs[label, prediction] for prediction in classes} for label in classes}
    scores = {name: _class_scores(confusion, name) for name in classes}
    recalls = [score.recall for score in scores.values() if score.recall is not None]
    return Classification(
        classes=scores,
        confusion=confusion,
        micro_f1=_ratio(sum(confusion[name][name] for name in classes), len(rows)),
        macro_f1=_mean([score.f1 for score in scores.values() if score.f1 is not None]),
        balanced_accuracy=_mean(recalls) if len(recalls) > 1 else None,
        n=len(rows),
        unjudged=len(labels) - len(rows),
    )


def detection(predicted: Sequence[bool | None], labels: Sequence[bool | None]) -> dict[str, float | None]:
    """Compares the yes or no of AutoAIS with the yes or no of people (Malaviya et al. 2023, table 6).

    Returns `precision`, `recall` and `f1` of yes, `accuracy` and `balanced_accuracy`. Raises `InputError` for
    lists of different lengths.
    """
    whole = classification(_named(predicted), _named(labels), ("yes", "no"))
    yes = whole.classes["yes"]
    return {
        "precision": yes.precision,
        "recall": yes.recall,
        "f1": yes.f1,
        "accuracy": whole.micro_f1,
        "balanced_accuracy": whole.balanced_accuracy,
    }


def roc_auc(scores: Sequence[float | None], labels: Sequence[bool | None]) -> float | None:
    """Computes the probability that a true row scores above a false row; a tie counts half.

    None if all labels are of one class (Mann and Whitney 1947). Raises `InputError` for lists of different
    lengths.
    """
    rows = sorted(_judged(scores, labels))
    truths = sum(label for _, label in rows)
    falsehoods = len(rows) - truths
    if not truths or not falsehoods:
        return None
    wins, below = 0.0, 0
    for _, tied in groupby(rows, lambda row: row[0]):
        group = [label for _, label in tied]
        false = group.count(False)
        wins += (len(group) - false) * (below + false / 2)
        below += false
    return wins / (truths * falsehoods)


Predicted = TypeVar("Predicted")
Label = TypeVar("Label")


def _judged(
    predicted: Sequence[Predicted | None], labels: Sequence[Label | None]
) -> list[tuple[Predicted, Label]]:
    if len(predicted) != len(labels):
        raise InputError(f"each row needs both; predictions: {len(predicted)}, labels: {len(labels)}")
    rows = zip(predicted, labels, strict=True)
    return [(value, label) for value, label in rows if value is not None and label is not None]


def _class_scores(confusion: dict[str, dict[str, int]], name: str) -> ClassScores:
    hits, labelled = confusion[name][name], sum(confusion[name].values())
    predicted = sum(row[name] for row in confusion.values())
    return ClassScores(
        precision=_ratio(hits, predicted),
        recall=_ratio(hits, labelled),
        f1=_ratio(2 * hits, predicted + labelled),
        n=labelled,
    )


def _named(answers: Sequence[bool | None]) -> list[str | None]:
    return [None if answer is None else "yes" if answer else "no" for answer in answers]


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
