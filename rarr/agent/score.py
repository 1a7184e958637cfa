"""Offers the public call `score`: how well an answer says what a reference answer says."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rarr.agent.input_checks import required_text
from rarr.errors import InputError
from rarr.records.answer_score import AnswerScore, RatedAnswer
from rarr.tools.text.plurals_and_articles import kind_of

if TYPE_CHECKING:
    from rarr.settings import Settings


def score(
    answer: str,
    references: str | Sequence[str],
    question: str | None = None,
    passage: str | None = None,
    *,
    settings: "Settings | None" = None,
    examples: Sequence[RatedAnswer] = (),
) -> AnswerScore:
    """Scores an answer to a question against one reference answer or several; the best reference counts.

    Values are compared first, by rules: equal words score 1, and another number, date or direction in the
    place of that of the reference scores 0. Otherwise a small head on the shipped encoder scores, from 0 to
    1; it was fitted on English. If `settings` name a language model, this scores instead, on five worded
    levels: 0, 0.25, 0.5, 0.75 or 1. It also reads `passage`, and the first 8 of your rated `examples`; the
    head reads neither. The score is for ranking answers, and no calibrated probability.

    Raises `InputError` for an empty answer, reference, question or passage, without a reference, and for
    examples without a language model; `RarrError` if the model cannot be used.
    """
    answer = required_text(answer, "answer")
    given = [references] if isinstance(references, str) else references
    if not isinstance(given, Sequence) or not given:
        raise InputError(f"references is {kind_of(references)}: give a text, or a list of at least one text")
    question = None if question is None else required_text(question, "question")
    passage = None if passage is None else required_text(passage, "passage")
    texts = [required_text(reference, "reference") for reference in given]
    if settings is not None and _is_language_model(settings.model):
        return _by_model(answer, texts, question, passage, settings, examples)
    if examples:
        raise InputError("examples are shown to a language model: name one in settings, or leave them out")
    return _by_head(answer, texts, question)


def _is_language_model(model: object) -> bool:
    from rarr.settings import EMBEDDED

    return model not in EMBEDDED


def _by_head(answer: str, references: Sequence[str], question: str | None) -> AnswerScore:
    from rarr.backends.encoder.answer_score import reference_score  # numpy and the encoder take a second
    from rarr.backends.encoder.model import shipped_encoder

    encoder = shipped_encoder()
    scored = [(reference_score(answer, text, question, encoder), text) for text in references]
    best, reference = max(scored, key=lambda each: each[0].score)
    return AnswerScore(score=best.score, reference=reference, by_rules=best.by_rules, reason=best.reason)


def _by_model(
    answer: str,
    references: Sequence[str],
    question: str | None,
    passage: str | None,
    settings: "Settings",
    examples: Sequence[RatedAnswer],
) -> AnswerScore:
    from rarr.agent.wiring.answer_scorer import answer_scorer
    from rarr.backends.encoder.answer_score import ruled_score
    from rarr.tools.concurrency.background_loop import run

    scorer = answer_scorer(settings, examples)
    ruled = [(ruled_score(answer, text, question), text) for text in references]
    decided = [(found, text) for found, text in ruled if found is not None]
    if len(decided) == len(references) or any(found.score == 1 for found, _ in decided):
        best, reference = max(decided, key=lambda each: each[0].score)
        return AnswerScore(score=best.score, reference=reference, by_rules=True, reason=best.reason)
    value, reason = run(scorer.score(answer, references, question, passage))
    return AnswerScore(score=value, reference=references[0], by_rules=False, reason=reason)
