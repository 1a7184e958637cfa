"""Compares scores of answers with people's ratings, as LERC does (Chen 2023, chapter 3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import StatisticsError, correlation

from pydantic import Field

from rarr.agent.wiring.models import LanguageModels
from rarr.backends.prompted.judging import PromptedJudge
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError, RarrError
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable, sampled
from rarr.evals.metrics.answers import answer_score, exact_match, token_f1
from rarr.evals.metrics.classification import roc_auc
from rarr.evals.metrics.statistics import Measured, bootstrap
from rarr.evals.metrics.texts import rouge_l
from rarr.evals.rows import Row, Text, Texts, read_all
from rarr.evals.run_folder import FinishedLine
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.chat import name_of

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


class ScoreLine(FinishedLine):
    """The score of one answer by the language model."""

    score: float | None = None


def answers(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the rated answers in the file `data`.

    If the settings name a language model, it scores too, on five worded levels. Raises `InputError` for a row
    without a rating, or if no rating differs.
    """
    rows = sampled(read_all(data, AnswerRow, EXAMPLE))
    chosen = rows[: options.limit]
    if len({row.score for row in chosen}) < 2:
        raise InputError(f"all ratings of {data} are equal: give right and wrong answers")
    parts = {}
    if settings.model not in EMBEDDED:
        parts[name_of(settings.model)] = Part(rows, ScoreLine, lambda: _Scorer(settings), chosen)
    right = sum(row.score >= 0.5 for row in chosen)

    def tables(pairs: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
        ratings = [row.score for row in chosen]
        scores: dict[str, Sequence[float | None]] = {
            name: [max(of(row.answer, each) for each in row.references) for row in chosen]
            for name, of in usual_scores().items()
        }
        scores |= {name: [line.score for _, line in each] for name, each in pairs.items()}
        rows = {name: agreement(values, ratings) for name, values in scores.items()}
        yield ScoreTable(title="agreement with people's ratings", rows=rows)

    counts = {"answers": len(chosen), "right by people": right}
    return Bench("answers", "Answers", counts, parts, tables)


class _Scorer:
    """Scores answers by the language model of the settings."""

    def __init__(self, settings: Settings) -> None:
        models = LanguageModels(settings, [settings.model])
        self._scorer = PromptedJudge(models[settings.model], Prompts(settings.prompts))
        self.aclose = self._scorer.aclose

    async def line(self, row: AnswerRow) -> ScoreLine:
        """Scores an answer; the line has an error if the model failed."""
        try:
            score = await self._scorer.score(row.answer, row.references, row.question, row.passage)
        except RarrError as error:
            return ScoreLine(id=row.id, error=str(error))
        return ScoreLine(id=row.id, score=score)


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
