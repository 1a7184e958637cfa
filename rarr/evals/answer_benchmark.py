"""Compares the score of answers with people's ratings, beside the usual scores."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import StatisticsError, correlation
from tempfile import TemporaryDirectory
from typing import Any

from rarr.agent.score import AnswerScorer
from rarr.backends.encoder.model import shipped_encoder
from rarr.backends.rules.answer_overlap import containment, exact_match, token_f1
from rarr.errors import InputError
from rarr.evals import run_folder
from rarr.evals.literature.benchmark_judging import digest, write_report
from rarr.evals.metrics import Measured, bootstrap, roc_auc, rouge_l
from rarr.evals.resumable_row_processing import finish_rows, line_itself
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.evals.run_folder import FinishedLine
from rarr.evals.scored_answers import AnswerRow, judged_rows, score_of
from rarr.records import Record
from rarr.records.answer_score import RatedAnswer
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings

OWN = "rarr.score"
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
    """A line of `predictions.jsonl`: the score of one answer by `rarr.score`."""

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
    """Scores the rated answers of the file `data`, `jobs` at once, and compares with the ratings.

    Lines of EVOUNA are read too. `limit`: the first of an order that only the ids decide.

    The folder `out` gets a line for each answer and report.json; the same call continues an interrupted run.
    Raises `InputError` for a row without a rating, if no rating differs, or if `out` holds another run;
    `RarrError` if a model fails.
    """
    rows = judged_rows(Path(data))
    if limit is not None:
        rows = sorted(rows, key=lambda row: digest(row.id))[:limit]
    ratings = [row.rating or 0.0 for row in rows]
    if len(set(ratings)) < 2:
        raise InputError(f"all ratings of {data} are equal: give right and wrong answers")
    made_with = _made_with(rows, settings, examples)
    with _kept_or_temporary(out) as path, run_folder.claimed(path, made_with):
        scorer = AnswerScorer(settings, examples)
        run_folder.begin(path, made_with)
        lines = _scored(rows, path, scorer, jobs, on_row)
        scores = {OWN: [line.score for line in lines]} | _usual(rows)
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


def _made_with(
    rows: Sequence[AnswerRow], settings: Settings | None, examples: Sequence[RatedAnswer]
) -> dict[str, Any]:
    """Describes the inputs of the run."""
    texts = [each.model_dump_json() for each in (*rows, *examples)]
    command = {"command": "rarr bench answers"}
    return run_inputs(digest("\n".join(texts)), described(settings or Settings()) | command)


def _scored(
    rows: Sequence[AnswerRow], path: Path, scorer: AnswerScorer, jobs: int, on_row: Progress | None
) -> list[ScoreLine]:
    """Scores the answers that the folder lacks, and returns the lines of all."""

    async def line(row: AnswerRow) -> ScoreLine:
        return ScoreLine(id=row.id, score=(await score_of(scorer, row)).score)

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
    """Computes the usual scores, and the cosine; the best reference of a row counts."""
    scores = usual_scores()
    found = {
        name: [max(of(row.answer, each) for each in row.references) for row in rows]
        for name, of in scores.items()
    }
    return found | {"cosine": [max(_cosine(row, each) for each in row.references) for row in rows]}


def usual_scores() -> dict[str, Callable[[str, str], float]]:
    """Returns the usual scores of an answer by one reference; ROUGE-L only with the extra `eval`."""
    scores: dict[str, Callable[[str, str], float]] = {
        "words of the reference": containment,
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


def _cosine(row: AnswerRow, reference: str) -> float:
    """Computes the cosine of the embeddings, each text behind the question, as `rarr.score` compares them."""
    asked = row.question or ""
    one, other = shipped_encoder().embed([f"{asked} {row.answer}", f"{asked} {reference}"])
    return float(one @ other)
