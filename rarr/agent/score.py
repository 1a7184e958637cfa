"""Offers the public call `score`: how well an answer says what a reference answer says."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rarr.agent.input_checks import required_text
from rarr.errors import InputError
from rarr.records.answer_score import AnswerScore, RatedAnswer
from rarr.tools.concurrency.background_loop import run
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.plurals_and_articles import kind_of

if TYPE_CHECKING:
    from rarr.backends.prompted.answer_scoring import PromptedAnswerScorer
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

    Rules come first: equal words score 1, and so does the reference in the passive. Another number, date or
    direction in the place of that of the reference scores 0, and so do an answer that denies the reference
    and one that exchanges who did something to whom. Two values joined by "or" score 0.25; two names only
    with "either" or "or perhaps". A number without a unit has that of the reference. Otherwise a small head
    on the shipped encoder scores, from 0 to 1; it was fitted on English. If `settings` name a language model,
    this scores instead, on five worded levels: 0, 0.25, 0.5, 0.75 or 1. It also reads `passage`, and the
    first 8 of your rated `examples`; the head reads neither. The score is for ranking answers, and no
    calibrated probability.

    Raises `InputError` for an empty answer, reference, question or passage, without a reference, and for
    examples without a language model; `RarrError` if the model cannot be used.
    """
    scorer, given = AnswerScorer(settings, examples), _checked(answer, references, question, passage)
    # Without a model there is nothing to wait for: callers on a thread of the pool must not wait for another.
    return run(_scored_once(scorer, given)) if scorer.asks_model else _by_head(given)


class _ScoredInput(NamedTuple):
    """The answer to score, as `score` gets it, after its checks."""

    answer: str
    references: list[str]
    question: str | None
    passage: str | None


class AnswerScorer:
    """Scores any number of answers, also at the same time, with one model. See `score`."""

    def __init__(self, settings: "Settings | None" = None, examples: Sequence[RatedAnswer] = ()) -> None:
        """Raises `InputError` for examples without a language model, and `RarrError` for a missing model."""
        self._model: PromptedAnswerScorer | None = None
        if settings is not None and _is_language_model(settings.model):
            from rarr.agent.wiring.answer_scorer import answer_scorer

            self._model = answer_scorer(settings, examples)
        elif examples:
            raise InputError(
                "examples are shown to a language model: name one in settings, or leave them out"
            )

    @property
    def asks_model(self) -> bool:
        """Does a language model score, where the rules do not decide?"""
        return self._model is not None

    async def ascore(
        self,
        answer: str,
        references: str | Sequence[str],
        question: str | None = None,
        passage: str | None = None,
    ) -> AnswerScore:
        """Scores an answer as `score` does. Raises `InputError`, and like `LanguageModel.ask`."""
        given = _checked(answer, references, question, passage)
        if self._model is None:
            return await asyncio.to_thread(_by_head, given)
        if (ruled := await work(_by_rules, given)) is not None:
            return ruled
        value, reason = await self._model.score(*given)
        return AnswerScore(score=value, reference=given.references[0], by_rules=False, reason=reason)

    async def aclose(self) -> None:
        """Closes the connections of the model in the running event loop."""
        if self._model is not None:
            await self._model.aclose()


async def _scored_once(scorer: AnswerScorer, given: _ScoredInput) -> AnswerScore:
    try:
        return await scorer.ascore(*given)
    finally:
        await scorer.aclose()


def _checked(
    answer: object, references: str | Sequence[str], question: object, passage: object
) -> _ScoredInput:
    """Raises `InputError` for a wrong or empty text, and without a reference."""
    texts = [references] if isinstance(references, str) else references
    if not isinstance(texts, Sequence) or not texts:
        raise InputError(f"references is {kind_of(references)}: give a text, or a list of at least one text")
    return _ScoredInput(
        answer=required_text(answer, "answer"),
        references=[required_text(text, "reference") for text in texts],
        question=None if question is None else required_text(question, "question"),
        passage=None if passage is None else required_text(passage, "passage"),
    )


def _is_language_model(model: object) -> bool:
    from rarr.settings import EMBEDDED

    return model not in EMBEDDED


def _by_head(given: _ScoredInput) -> AnswerScore:
    from rarr.backends.encoder.answer_score import reference_score  # numpy and the encoder take a second
    from rarr.backends.encoder.model import shipped_encoder

    encoder = shipped_encoder()
    scored = [
        (reference_score(given.answer, text, given.question, encoder), text) for text in given.references
    ]
    best, reference = max(scored, key=lambda each: each[0].score)
    return AnswerScore(score=best.score, reference=reference, by_rules=best.by_rules, reason=best.reason)


def _by_rules(given: _ScoredInput) -> AnswerScore | None:
    """Scores if a reference has the same words or each has another value; otherwise returns None."""
    from rarr.backends.encoder.answer_score import ruled_score

    ruled = [(ruled_score(given.answer, text, given.question), text) for text in given.references]
    decided = [(found, text) for found, text in ruled if found is not None]
    if len(decided) < len(given.references) and not any(found.score == 1 for found, _ in decided):
        return None
    best, reference = max(decided, key=lambda each: each[0].score)
    return AnswerScore(score=best.score, reference=reference, by_rules=True, reason=best.reason)
