"""Compares scores of answers with people's ratings, as LERC does (Chen 2023, chapter 3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import StatisticsError, correlation

from pydantic import Field

from rarr.agent.wiring.models import LanguageModels
from rarr.backends.prompted.judging import PromptedJudge
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable, sampled
from rarr.evals.metrics import Measured, answer_score, bootstrap_each, exact_match, roc_auc, rouge_l, token_f1
from rarr.evals.rows import Row, Text, Texts, read_rows
from rarr.evals.run_folder import FinishedLine
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.chat import name_of

EXAMPLE = '{"answer": "...", "references": ["..."], "score": 0.5} for each answer'
RESAMPLES = 300
USUAL: dict[str, Callable[[str, str], float]] = {
    "values and words": answer_score,
    "token F1": token_f1,
    "exact match": exact_match,
    "ROUGE-L": rouge_l,
}
"""The scores of an answer by one reference that need no model."""


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
    """Reads the rated answers in the file `data`; a language model scores too, on five worded levels."""
    rows = sampled(read_rows(data, AnswerRow, EXAMPLE))
    chosen = rows[: options.limit]
    ratings = [row.score for row in chosen]
    if len(set(ratings)) < 2:
        raise InputError(f"all ratings of {data} are equal: give right and wrong answers")
    parts = {}
    if settings.model not in EMBEDDED:
        parts[name_of(settings.model)] = Part(rows, ScoreLine, lambda: _Scorer(settings), chosen)

    def tables(pairs: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
        scores: dict[str, Sequence[float | None]] = {
            name: [max(float(of(row.answer, each)) for each in row.references) for row in chosen]
            for name, of in USUAL.items()
        }
        scores |= {name: [line.score for _, line in each] for name, each in pairs.items()}
        rows = {name: agreement(values, ratings) for name, values in scores.items()}
        yield ScoreTable(title="agreement with people's ratings", rows=rows)

    counts = {"answers": len(chosen), "right by people": sum(rating >= 0.5 for rating in ratings)}
    return Bench("answers", "Answers", counts, parts, tables)


class _Scorer:
    """Scores answers by the language model of the settings."""

    def __init__(self, settings: Settings) -> None:
        models = LanguageModels(settings, [settings.model])
        self._scorer = PromptedJudge(models[settings.model], Prompts(settings.prompts))
        self.aclose = self._scorer.aclose

    async def line(self, row: AnswerRow) -> ScoreLine:
        score = await self._scorer.score(row.answer, row.references, row.question, row.passage)
        return ScoreLine(id=row.id, score=score)


def agreement(scores: Sequence[float | None], ratings: Sequence[float]) -> dict[str, Measured]:
    """Compares scores with ratings: Pearson's r, and the AUC of right (0.5 or more) against wrong.

    A value is None if all scores or all ratings are equal. Answers without a score are left out.
    """
    pairs = [(score, rating) for score, rating in zip(scores, ratings, strict=True) if score is not None]

    def measures(drawn: Sequence[tuple[float, float]]) -> dict[str, float | None]:
        try:
            pearson = correlation(*zip(*drawn, strict=True))
        except StatisticsError:
            pearson = None
        return {"r": pearson, "auc": roc_auc([(score, rating >= 0.5) for score, rating in drawn])}

    return bootstrap_each(pairs, measures, unjudged=len(scores) - len(pairs), resamples=RESAMPLES)
