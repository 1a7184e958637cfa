"""Verifiers against people: the classes of AttrScore, and yes or no as in ExpertQA.

Unjudged rows, whose prediction or label is None, enter no number and are counted as `unjudged`. A ratio that
is not defined (the precision of a class that was never predicted) is None.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar, get_args

from rarr.errors import InputError
from rarr.records import AttributionClass, Record

ATTRIBUTION_CLASSES: tuple[AttributionClass, ...] = get_args(AttributionClass)
"""The classes of AttrScore (Yue et al. 2023, section 2)."""


class ClassScores(Record):
    """One class against the others, 0 to 1. `n` rows have it as their label."""

    precision: float | None
    recall: float | None
    f1: float | None
    n: int


class Classification(Record):
    """Predictions against labels. `confusion[label][prediction]` counts rows; all else is between 0 and 1.

    `macro_f1` is the mean F1 of the classes that were predicted or are labels, `balanced_accuracy` the mean
    recall of those that are labels, None for fewer than two. With one label a row, micro-F1 is the share of
    rows that are right.
    """

    classes: dict[str, ClassScores]
    confusion: dict[str, dict[str, int]]
    micro_f1: float | None
    macro_f1: float | None
    balanced_accuracy: float | None
    n: int
    unjudged: int


class Detection(Record):
    """Yes or no against people; precision, recall and F1 are of yes. All between 0 and 1."""

    precision: float | None
    recall: float | None
    f1: float | None
    accuracy: float | None
    balanced_accuracy: float | None
    n: int
    unjudged: int


class _Counts(NamedTuple):
    hits: int
    predicted: int
    labelled: int

    def scores(self) -> ClassScores:
        return ClassScores(
            precision=_ratio(self.hits, self.predicted),
            recall=_ratio(self.hits, self.labelled),
            f1=_ratio(2 * self.hits, self.predicted + self.labelled),
            n=self.labelled,
        )


def classification(
    predicted: Sequence[str | None],
    labels: Sequence[str | None],
    classes: Sequence[str] = ATTRIBUTION_CLASSES,
) -> Classification:
    """Each class's precision, recall and F1, and what they come to (Yue et al. 2023, section 5).

    Raises `InputError` for lists of different lengths and for a class that is not in `classes`.
    """
    rows = _judged(predicted, labels)
    if unknown := {one for row in rows for one in row} - set(classes):
        raise InputError(f"no class {min(unknown)!r}: there are {', '.join(classes)}")
    pairs = Counter((label, one) for one, label in rows)
    confusion = {label: {one: pairs[label, one] for one in classes} for label in classes}
    counts = {one: _count(confusion, one) for one in classes}
    scores = {one: count.scores() for one, count in counts.items()}
    recalls = [one.recall for one in scores.values() if one.recall is not None]
    return Classification(
        classes=scores,
        confusion=confusion,
        micro_f1=_ratio(sum(count.hits for count in counts.values()), len(rows)),
        macro_f1=_mean([one.f1 for one in scores.values() if one.f1 is not None]),
        balanced_accuracy=_mean(recalls) if len(recalls) > 1 else None,
        n=len(rows),
        unjudged=len(labels) - len(rows),
    )


def detection(predicted: Sequence[bool | None], labels: Sequence[bool | None]) -> Detection:
    """AutoAIS's yes or no against people's (Malaviya et al. 2023, table 6).

    Raises `InputError` for lists of different lengths.
    """
    whole = classification(_named(predicted), _named(labels), ("yes", "no"))
    yes = whole.classes["yes"]
    return Detection(
        precision=yes.precision,
        recall=yes.recall,
        f1=yes.f1,
        accuracy=whole.micro_f1,
        balanced_accuracy=whole.balanced_accuracy,
        n=whole.n,
        unjudged=whole.unjudged,
    )


def roc_auc(scores: Sequence[float | None], labels: Sequence[bool | None]) -> float | None:
    """The chance that a true row scores above a false one, a tie counting half (Mann and Whitney 1947).

    None where labels are of one class. Raises `InputError` for lists of different lengths.
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
    return [(one, label) for one, label in rows if one is not None and label is not None]


def _count(confusion: Mapping[str, Mapping[str, int]], name: str) -> _Counts:
    predicted = sum(row[name] for row in confusion.values())
    return _Counts(confusion[name][name], predicted, sum(confusion[name].values()))


def _named(answers: Sequence[bool | None]) -> list[str | None]:
    return [None if answer is None else "yes" if answer else "no" for answer in answers]


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
