"""Measures whether a text still answers its question after the revision: the downstream check of RARR."""

from rarr.evals.metrics import answer_score
from rarr.evals.report_records import AnswerScores, ScoredRow
from rarr.evals.rows import EvalRow

ANSWERS = 0.5
"""The least score of a text that answers its question."""


def answer_scores(row: EvalRow, revised: str) -> AnswerScores | None:
    """Scores the original and the revised text by the right answers of the row; None for a row without."""
    if not row.answers:
        return None
    before, after = (answer_score(text, row.answers) for text in (row.text, revised))
    return AnswerScores(before=before, after=after)


def answer_before(row: ScoredRow) -> float | None:
    """Returns the score of the original text; None if it is not known."""
    return row.answer_scores.before if row.answer_scores else None


def answer_after(row: ScoredRow) -> float | None:
    """Returns the score of the revised text; None if it is not known."""
    return row.answer_scores.after if row.answer_scores else None


def answers_now(row: ScoredRow) -> bool | None:
    """Does the revised text answer? None if that is not known."""
    return row.answer_scores.after >= ANSWERS if row.answer_scores else None


def may_have_answered(row: ScoredRow) -> bool:
    """Has the row right answers, and did its text answer, or is that not known because of an error?"""
    return row.has_answers and (row.answer_scores is None or row.answer_scores.before >= ANSWERS)


def may_have_lacked_answer(row: ScoredRow) -> bool:
    """Has the row right answers, and did its text not answer, or is that not known because of an error?"""
    return row.has_answers and (row.answer_scores is None or row.answer_scores.before < ANSWERS)
