"""Compares scores of answers with people's ratings, as LERC does (Chen 2023, chapter 3).

The rows of EVOUNA are read as they lie.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import StatisticsError, correlation
from typing import Any, NamedTuple

from pydantic import AliasChoices, BaseModel, Field, model_validator

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


class RatedAnswer(BaseModel):
    """An answer. `score` is a person's rating, from 0 (wrong) to 1 (the same as a reference), or a truth."""

    answer: Text
    score: float = Field(ge=0, le=1, validation_alias=AliasChoices("score", "correct"))


class QuestionRow(Row):
    """References with one answer, or with the `candidates` of several systems, as EVOUNA has them.

    Candidates without an answer or a rating, and all of an `improper` question, are only counted.
    """

    references: Texts = Field(min_length=1)
    question: Text | None = None
    passage: Text | None = None
    candidates: tuple[RatedAnswer, ...]
    unrated: int = 0

    @model_validator(mode="before")
    @classmethod
    def _has_candidates(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "answer" in given or "candidates" not in given:
            return {**given, "candidates": [given]} if isinstance(given, dict) else given
        every = [] if given.get("improper") else list(map(dict, given["candidates"]))
        rated = [it for it in every if str(it.get("answer", "")).strip() and "correct" in it]
        given["references"] = [it for it in given.get("references", ()) if str(it).strip()]
        return {**given, "candidates": rated, "unrated": len(given["candidates"]) - len(rated)}


class AnswerRow(NamedTuple):
    """An answer to the question of a row."""

    id: str
    asked: QuestionRow
    answer: str
    score: float


class ScoreLine(FinishedLine):
    """The score of one answer by the language model."""

    score: float | None = None


def answers(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the rated answers in the file `data`; a language model scores too, on five worded levels."""
    questions = read_rows(data, QuestionRow, EXAMPLE)
    every = [(row, at, it) for row in questions for at, it in enumerate(row.candidates, start=1)]
    rows = sampled(AnswerRow(f"{row.id}/{at}", row, it.answer, it.score) for row, at, it in every)
    chosen = rows[: options.limit]
    ratings = [row.score for row in chosen]
    if len(set(ratings)) < 2:
        raise InputError(f"all ratings of {data} are equal: give right and wrong answers")
    parts = {}
    if settings.model not in EMBEDDED:
        parts[name_of(settings.model)] = Part(rows, ScoreLine, lambda: _Scorer(settings), chosen)

    def tables(pairs: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
        scores: dict[str, Sequence[float | None]] = {
            name: [max(float(of(row.answer, each)) for each in row.asked.references) for row in chosen]
            for name, of in USUAL.items()
        }
        scores |= {name: [line.score for _, line in each] for name, each in pairs.items()}
        rows = {name: agreement(values, ratings) for name, values in scores.items()}
        yield ScoreTable(title="agreement with people's ratings", rows=rows)

    counts = {"answers": len(chosen), "right by people": sum(rating >= 0.5 for rating in ratings)}
    unrated = sum(row.unrated for row in questions)
    left_out = {"without a rating, or to an improper question": unrated} if unrated else {}
    return Bench("answers", "Answers", counts, parts, tables, left_out)


class _Scorer:
    """Scores answers by the language model of the settings."""

    def __init__(self, settings: Settings) -> None:
        models = LanguageModels(settings, [settings.model])
        self._scorer = PromptedJudge(models[settings.model], Prompts(settings.prompts))
        self.aclose = self._scorer.aclose

    async def line(self, row: AnswerRow) -> ScoreLine:
        asked = row.asked
        score = await self._scorer.score(row.answer, asked.references, asked.question, asked.passage)
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
