"""Offers the public call `score`: how well an answer says what a reference answer says."""

from collections.abc import Sequence

from rarr.agent.input_checks import required_text
from rarr.errors import InputError
from rarr.records.answer_score import AnswerScore
from rarr.tools.text.plurals_and_articles import kind_of


def score(answer: str, references: str | Sequence[str], question: str | None = None) -> AnswerScore:
    """Scores an answer to a question against one reference answer or several; the best reference counts.

    Values are compared first, by rules: equal words score 1, and another number, date or direction in the
    place of that of the reference scores 0. Otherwise a small head on the shipped encoder scores, from 0 to
    1; it was fitted on English. The score is for ranking answers, and no calibrated probability.

    Raises `InputError` for an empty answer, reference or question, and without a reference.
    """
    from rarr.backends.encoder.answer_score import reference_score  # numpy and the encoder take a second
    from rarr.backends.encoder.model import shipped_encoder

    answer = required_text(answer, "answer")
    given = [references] if isinstance(references, str) else references
    if not isinstance(given, Sequence) or not given:
        raise InputError(f"references is {kind_of(references)}: give a text, or a list of at least one text")
    question = None if question is None else required_text(question, "question")
    encoder = shipped_encoder()
    texts = [required_text(reference, "reference") for reference in given]
    scored = [(reference_score(answer, text, question, encoder), text) for text in texts]
    best, reference = max(scored, key=lambda each: each[0].score)
    return AnswerScore(score=best.score, reference=reference, by_rules=best.by_rules, reason=best.reason)
