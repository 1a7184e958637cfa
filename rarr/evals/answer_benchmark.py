"""Compares the score of answers with people's ratings, beside the usual scores."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import StatisticsError, correlation
from tempfile import TemporaryDirectory
from typing import Any

from rarr.agent.wiring.language_models import LanguageModels
from rarr.backends.prompted.answers import PromptedAnswerScorer, RatedAnswer
from rarr.backends.prompted.prompts import Prompts
from rarr.errors import InputError
from rarr.evals import run_folder
from rarr.evals.literature.benchmark_judging import digest, write_report
from rarr.evals.metrics import Measured, answer_score, bootstrap, exact_match, roc_auc, rouge_l, token_f1
from rarr.evals.rated_answers import AnswerRow, judged_rows
from rarr.evals.resumable_row_processing import finish_rows, line_itself
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.evals.run_folder import FinishedLine
from rarr.records import Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import EMBEDDED, Settings
from rarr.tools.models.chat import name_of

RESAMPLES = 300


class RatingAgreement(Record):
    """How well a score agrees with people: Pearson's r, and the AUC of right (0.5 or more) against wrong.

    A value is None if all scores or all ratings are equal.
    """

    r: Measured
    auc: Measured


class AnswersReport(Record):
    """The report: the agreement with people of each score, by its name. `right` of `answers` are right."""

    data: str
    answers: int
    right: int
    scores: dict[str, RatingAgreement]


class ScoreLine(FinishedLine):
    """A line of `predictions.jsonl`: the score of one answer by the language model."""

    score: float


def bench_answers(
    data: str | Path,
    out: str | Path | None = None,
    *,
    settings: Settings | None = None,
    examples: Sequence[RatedAnswer] = (),
    limit: int | None = None,
    jobs: int = 4,
    on_row: Progress | None = None,
) -> AnswersReport:
    """Compares scores of the rated answers in the file `data` with the ratings.

    If the settings name a language model, it scores too, `jobs` answers at once, on five worded levels; it
    reads the first 8 of the rated `examples`. Lines of EVOUNA are read too. `limit`: the first of an order
    that only the ids decide.

    The folder `out` gets report.json, and a line for each answer that a model scored; the same call continues
    an interrupted run. Raises `InputError` for a row without a rating, if no rating differs, if `out` holds
    another run, or for examples without a model; `RarrError` if a model fails.
    """
    rows = judged_rows(Path(data))
    if limit is not None:
        rows = sorted(rows, key=lambda row: digest(row.id))[:limit]
    ratings = [row.rating or 0.0 for row in rows]
    if len(set(ratings)) < 2:
        raise InputError(f"all ratings of {data} are equal: give right and wrong answers")
    made_with = _made_with(rows, settings, examples)
    with _kept_or_temporary(out) as path, run_folder.claimed(path, made_with):
        scorer = _scorer(settings or Settings(), examples)
        run_folder.begin(path, made_with)
        scores = _usual(rows)
        if scorer is not None and settings is not None:
            lines = _scored(rows, path, scorer, jobs, on_row)
            scores[name_of(settings.model)] = [line.score for line in lines]
        report = AnswersReport(
            data=str(data),
            answers=len(rows),
            right=sum(rating >= 0.5 for rating in ratings),
            scores={name: agreement(values, ratings) for name, values in scores.items()},
        )
        write_report(path, report)
    return report


@contextmanager
def _kept_or_temporary(out: str | Path | None) -> Iterator[Path]:
    """Yields the folder `out`; without it, a folder that is deleted at the end."""
    if out is not None:
        yield Path(out)
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)


def _scorer(settings: Settings, examples: Sequence[RatedAnswer]) -> PromptedAnswerScorer | None:
    """Makes the scorer of the setting `model`; None if it is no language model."""
    if settings.model in EMBEDDED:
        if examples:
            raise InputError("examples are shown to a language model: name one with model, or leave them out")
        return None
    models = LanguageModels(settings, [settings.model])
    return PromptedAnswerScorer(models[settings.model], Prompts(settings.prompts), examples)


def _made_with(
    rows: Sequence[AnswerRow], settings: Settings | None, examples: Sequence[RatedAnswer]
) -> dict[str, Any]:
    """Describes the inputs of the run."""
    texts = [each.model_dump_json() for each in (*rows, *examples)]
    command = {"command": "rarr bench answers"}
    return run_inputs(digest("\n".join(texts)), described(settings or Settings()) | command)


def _scored(
    rows: Sequence[AnswerRow], path: Path, scorer: PromptedAnswerScorer, jobs: int, on_row: Progress | None
) -> list[ScoreLine]:
    """Scores the answers that the folder lacks, and returns the lines of all."""

    async def line(row: AnswerRow) -> ScoreLine:
        score = await scorer.score(row.answer, row.references, row.question, row.passage)
        return ScoreLine(id=row.id, score=score)

    return finish_rows(
        rows,
        path,
        ScoreLine,
        of=rows,
        work_on=line,
        result_of=line_itself,
        aclose=scorer.aclose,
        jobs=jobs,
        on_row=on_row,
    )


def _usual(rows: Sequence[AnswerRow]) -> dict[str, list[float]]:
    """Computes the usual scores; the best reference of a row counts."""
    return {
        name: [max(of(row.answer, each) for each in row.references) for row in rows]
        for name, of in usual_scores().items()
    }


def usual_scores() -> dict[str, Callable[[str, str], float]]:
    """Returns the usual scores of an answer by one reference; ROUGE-L only with the extra `eval`."""
    scores: dict[str, Callable[[str, str], float]] = {
        "values and words": lambda answer, reference: answer_score(answer, [reference]),
        "token F1": token_f1,
        "ROUGE-L": rouge_l,
        "exact match": lambda answer, reference: float(exact_match(answer, reference)),
    }
    if not find_spec("rouge_score"):
        del scores["ROUGE-L"]
    return scores


def agreement(scores: Sequence[float], ratings: Sequence[float]) -> RatingAgreement:
    """Compares scores with ratings; the intervals are 95%, by bootstrap over answers."""
    pairs = list(zip(scores, ratings, strict=True))
    return RatingAgreement(
        r=bootstrap(pairs, pearson, resamples=RESAMPLES), auc=bootstrap(pairs, _auc, resamples=RESAMPLES)
    )


def pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Computes Pearson's r; None if all first or all second values are equal."""
    try:
        return correlation([first for first, _ in pairs], [second for _, second in pairs])
    except StatisticsError:
        return None


def _auc(pairs: Sequence[tuple[float, float]]) -> float | None:
    return roc_auc([value for value, _ in pairs], [rating >= 0.5 for _, rating in pairs])
