"""Declares the record of a scored answer."""

from rarr.records.base import Record


class AnswerScore(Record):
    """How well an answer says what a reference says: `score` from 0 (wrong) to 1 (the same).

    `reference` is the reference that gave the highest score. `by_rules`: equal words or another value
    decided, and not the fitted head. `reason` says what decided.
    """

    score: float
    reference: str
    by_rules: bool
    reason: str
