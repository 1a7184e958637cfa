"""Rows as an evaluation has scored them."""

from typing import Any

from rarr.evals.measures import ScoredRow
from rarr.ledger.scores import f1_ap
from rarr.records import Scores


def scored_row(
    name: str, before: float | None, after: float | None, preservation: float | None = 1.0, **more: Any
) -> ScoredRow:
    """A row with these scores. Text and original are the same unless `more` says otherwise."""
    scores = Scores(
        attribution_before=before,
        attribution_after=after,
        preservation=preservation,
        f1_ap=f1_ap(after, preservation),
    )
    return ScoredRow(**({"id": name, "original": "One.", "text": "One.", "scores": scores} | more))
