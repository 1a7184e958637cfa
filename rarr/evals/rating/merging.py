"""Turns the ratings of several raters into labels by majority, and measures how far the raters agree."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rarr.evals.metrics import RaterAgreement, agreement
from rarr.evals.rating.exported_ratings import RatingExport, is_rated
from rarr.evals.rating.item_reading import RatingItem
from rarr.evals.rating.questions import ATTRIBUTION, INTENT, QUESTIONS, UNDERSTANDABLE, RatingQuestion
from rarr.records import Record

NOT_UNDERSTANDABLE = "not_understandable"
"""The vote about attribution of a rater who cannot understand the text. It is never a label."""
MAJORITY, ONE_RATER = "majority", "one rater"
"""What a label is of: more than half of at least two votes, or a single vote."""


class MergedRatings(Record):
    """The agreement of raters by question, and the labels.

    `rated` has the number of completely rated items by rater. `labels` counts the labels of claims; "null"
    are the claims without a majority for one class. `labels_of_one_rater` counts the labels that rest on a
    single vote, and so on no agreement.
    """

    raters: tuple[str, ...]
    items: int
    rated: Mapping[str, int]
    agreement: Mapping[str, RaterAgreement]
    labels: Mapping[str, int]
    labels_of_one_rater: int = 0


def merged(exports: Sequence[RatingExport]) -> MergedRatings:
    """Measures the agreement on each question that was asked, and counts the labels.

    A rater who cannot understand a text has no value for its attribution.
    """
    items = exports[0].items
    asked = [question for question in QUESTIONS if any(_values(exports, item, question) for item in items)]
    rows = list(labelled_rows(exports))
    labels = Counter(str(row["label"] or "null") for row in rows if "label" in row)
    return MergedRatings(
        raters=tuple(export.rater for export in exports),
        items=len(items),
        rated={
            export.rater: sum(is_rated(item, export.answers.get(item.id, {})) for item in items)
            for export in exports
        },
        agreement={
            question.name: agreement(
                [_values(exports, item, question) for item in items],
                list(question.answers),
                question.distance,
            )
            for question in asked
        },
        labels={name: labels[name] for name in [*ATTRIBUTION.answers, "null"]},
        labels_of_one_rater=sum(row.get("label_of") == ONE_RATER for row in rows),
    )


def labelled_rows(exports: Sequence[RatingExport]) -> Iterator[dict[str, Any]]:
    """Yields a row for each item: the item, "label" with "votes", and "intent" with "intent_votes".

    A label is the answer of more than half of the votes, or else None. "label_of" tells whether it is that of
    a `majority` or of `one rater`, with whom nobody could agree.
    """
    for item in exports[0].items:
        row = item.model_dump(mode="json", exclude_defaults=True)
        if item.claim is not None:
            votes = _votes(exports, item)
            label = _majority(votes)
            label = None if label == NOT_UNDERSTANDABLE else label
            row |= {"label": label, "votes": dict(votes)}
            if label is not None:
                row["label_of"] = MAJORITY if votes.total() > 1 else ONE_RATER
        if item.original is not None:
            levels = Counter(_values(exports, item, INTENT))
            row |= {"intent": _majority(levels), "intent_votes": dict(levels)}
        yield row


def _values(exports: Sequence[RatingExport], item: RatingItem, question: RatingQuestion) -> list[str]:
    answers = (export.answers.get(item.id, {}) for export in exports)
    return [given[question.name] for given in answers if question.name in given]


def _votes(exports: Sequence[RatingExport], item: RatingItem) -> Counter[str]:
    votes = Counter(_values(exports, item, ATTRIBUTION))
    if unclear := _values(exports, item, UNDERSTANDABLE).count("no"):
        votes[NOT_UNDERSTANDABLE] = unclear
    return votes


def _majority(votes: Counter[str]) -> str | None:
    for name, count in votes.most_common(1):
        if 2 * count > votes.total():
            return name
    return None
