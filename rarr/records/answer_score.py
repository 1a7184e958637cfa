"""Declares the records of scored and of rated answers."""

from pydantic import Field

from rarr.records.base import Record


class AnswerScore(Record):
    """How well an answer says what a reference says: `score` from 0 (wrong) to 1 (the same).

    `reference` is the reference that gave the highest score; of a language model, which reads all at once,
    the first. `by_rules`: equal words or another value decided, and not the fitted head or a model. `reason`
    says what decided.
    """

    score: float
    reference: str
    by_rules: bool
    reason: str


class RatedAnswer(Record):
    """An answer that a person rated, from 0 (wrong) to 1 (the same as a reference)."""

    answer: str
    references: tuple[str, ...]
    question: str | None = None
    passage: str | None = None
    score: float = Field(ge=0, le=1)
