"""Compares scores of answers with people's ratings, as LERC does (Chen 2023, chapter 3)."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import StatisticsError, correlation
from typing import Any, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from rarr.agent.wiring.language_models import LanguageModels
from rarr.backends.prompted.answers import PromptedAnswerScorer
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.benchmarks.report import (
    BenchmarkReport,
    Options,
    ScoreTable,
    benchmark_folder,
    digest,
    folder_name,
    sampled,
)  # fmt: skip
from rarr.evals.metrics.answers import answer_score, exact_match, token_f1
from rarr.evals.metrics.classification import roc_auc
from rarr.evals.metrics.statistics import Measured, bootstrap
from rarr.evals.metrics.texts import rouge_l
from rarr.evals.rows import Row, Text, Texts, read_all
from rarr.evals.run_folder import FinishedLine, run_rows
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.chat import name_of

COMMAND = "rarr bench answers"
EXAMPLE = '{"answer": "...", "references": ["..."], "score": 0.5} for each answer'
RESAMPLES = 300


class AnswerRow(Row):
    """An answer with its references, and with the question and its passage where given.

    `score` is a person's rating, from 0 (wrong) to 1 (the same as a reference), or true and false.
    """

    answer: Text
    references: Texts = Field(min_length=1)
    question: Text | None = None
    passage: Text | None = None
    score: float = Field(ge=0, le=1)

    @field_validator("score", mode="before")
    @classmethod
    def _takes_true_and_false(cls, given: Any, info: ValidationInfo) -> Any:
        return float(given) if isinstance(given, bool) else given

    @model_validator(mode="after")
    def _has_references(self) -> Self:
        if not self.references:
            raise ValueError('its "references" is an empty list: give at least one text')
        return self


class ScoreLine(FinishedLine):
    """A line of `predictions.jsonl`: the score of one answer by the language model."""

    score: float | None = None


def bench_answers(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: Options | None = None,
    on_row: Progress | None = None,
) -> BenchmarkReport:
    """Compares scores of the rated answers in the file `data` with the ratings, and reports to `out`.

    If the settings name a language model, it scores too, on five worded levels. The same call continues an
    interrupted run. Raises `InputError` for a row without a rating, or if no rating differs.
    """
    settings, options, path = settings or Settings(), options or Options(), Path(out)
    rows = sampled(read_all(Path(data), AnswerRow, EXAMPLE))[: options.limit]
    if len({row.score for row in rows}) < 2:
        raise InputError(f"all ratings of {data} are equal: give right and wrong answers")
    scores: dict[str, Sequence[float | None]] = {
        name: [max(of(row.answer, each) for each in row.references) for row in rows]
        for name, of in usual_scores().items()
    }
    errors: tuple[str, ...] = ()
    with benchmark_folder(path, COMMAND, digest(str(rows)), settings) as inputs:
        if settings.model not in EMBEDDED:
            name = name_of(settings.model)
            lines: list[ScoreLine] = run_rows(
                rows, path / folder_name(name), ScoreLine, inputs, lambda: _Scorer(settings),
                jobs=options.jobs, on_row=on_row,
            )  # fmt: skip
            scores[name] = [line.score for line in lines]
            errors = tuple(f"{line.id}: {line.error}" for line in lines if line.error)
        ratings = [row.score for row in rows]
        report = BenchmarkReport(
            benchmark="Answers",
            counts={"answers": len(rows), "right by people": sum(rating >= 0.5 for rating in ratings)},
            tables=(
                ScoreTable(
                    title="agreement with people's ratings",
                    rows={name: agreement(values, ratings) for name, values in scores.items()},
                ),
            ),
            errors=errors,
            failed=(name_of(settings.model),) if len(errors) == len(rows) else (),
        )
        run_folder.finish(path, report)
    return report


class _Scorer:
    """Scores answers by the language model of the settings."""

    def __init__(self, settings: Settings) -> None:
        models = LanguageModels(settings, [settings.model])
        self._scorer = PromptedAnswerScorer(models[settings.model], Prompts(settings.prompts))

    async def line(self, row: AnswerRow) -> ScoreLine:
        """Scores an answer; the line has an error if the model failed."""
        try:
            score = await self._scorer.score(row.answer, row.references, row.question, row.passage)
        except RarrError as error:
            return ScoreLine(id=row.id, error=str(error))
        return ScoreLine(id=row.id, score=score)

    async def aclose(self) -> None:
        """Closes the connections of the model."""
        await self._scorer.aclose()


def usual_scores() -> dict[str, Callable[[str, str], float]]:
    """Returns the usual scores of an answer by one reference; ROUGE-L only with the extra `eval`."""
    scores: dict[str, Callable[[str, str], float]] = {
        "values and words": lambda answer, reference: answer_score(answer, [reference]),
        "token F1": token_f1,
        "exact match": lambda answer, reference: float(exact_match(answer, reference)),
    }
    return scores | {"ROUGE-L": rouge_l} if find_spec("rouge_score") else scores


def agreement(scores: Sequence[float | None], ratings: Sequence[float]) -> dict[str, Measured]:
    """Compares scores with ratings: Pearson's r, and the AUC of right (0.5 or more) against wrong.

    A value is None if all scores or all ratings are equal. Answers without a score are left out.
    """
    pairs = [(score, rating) for score, rating in zip(scores, ratings, strict=True) if score is not None]
    unjudged = len(scores) - len(pairs)

    def auc(drawn: Sequence[tuple[float, float]]) -> float | None:
        return roc_auc([score for score, _ in drawn], [rating >= 0.5 for _, rating in drawn])

    return {
        "r": bootstrap(pairs, pearson, unjudged=unjudged, resamples=RESAMPLES),
        "auc": bootstrap(pairs, auc, unjudged=unjudged, resamples=RESAMPLES),
    }


def pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Computes Pearson's r; None if all first or all second values are equal."""
    try:
        return correlation([first for first, _ in pairs], [second for _, second in pairs])
    except StatisticsError:
        return None
