"""Compares the score of answers with people's ratings, beside the usual scores."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import StatisticsError, correlation

from rarr.agent.score import score
from rarr.backends.encoder.model import shipped_encoder
from rarr.backends.rules.answer_overlap import containment, exact_match, token_f1
from rarr.errors import InputError
from rarr.evals.literature.benchmark_judging import write_report
from rarr.evals.metrics import Measured, bootstrap, roc_auc, rouge_l
from rarr.evals.scored_answers import AnswerRow, answer_rows
from rarr.records import Record
from rarr.records.answer_score import RatedAnswer
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.storage.line_files import writing

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


def bench_answers(
    data: str | Path,
    out: str | Path | None = None,
    *,
    settings: Settings | None = None,
    examples: Sequence[RatedAnswer] = (),
    on_row: Progress | None = None,
) -> AnswersReport:
    """Scores the rated answers of the file `data`, and compares with the ratings; report.json goes to `out`.

    Raises `InputError` for a row without a rating, and if no rating differs; `RarrError` if a model fails.
    """
    rows = answer_rows(Path(data))
    if missing := next((row.id for row in rows if row.rating is None), None):
        raise InputError(f'{data}, row {missing} has no "score": give a person\'s rating, from 0 to 1')
    ratings = [row.rating or 0.0 for row in rows]
    if len(set(ratings)) < 2:
        raise InputError(f"all ratings of {data} are equal: give right and wrong answers")
    own = list[float]()
    for row in rows:
        found = score(
            row.answer, row.references, row.question, row.passage, settings=settings, examples=examples
        )
        own.append(found.score)
        if on_row:
            on_row(len(own), len(rows))
    scores = {OWN: own} | {name: [_best(of, row) for row in rows] for name, of in usual_scores().items()}
    scores["cosine"] = [max(_cosine(row, reference) for reference in row.references) for row in rows]
    report = AnswersReport(
        data=str(data),
        answers=len(rows),
        right=sum(rating >= 0.5 for rating in ratings),
        scores={name: agreement(values, ratings) for name, values in scores.items()},
    )
    if out is not None:
        with writing(Path(out)):
            Path(out).mkdir(parents=True, exist_ok=True)
        write_report(Path(out), report)
    return report


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


def _best(score_of: Callable[[str, str], float], row: AnswerRow) -> float:
    return max(score_of(row.answer, reference) for reference in row.references)


def _cosine(row: AnswerRow, reference: str) -> float:
    """Computes the cosine of the embeddings, each text behind the question, as `rarr.score` compares them."""
    asked = row.question or ""
    one, other = shipped_encoder().embed([f"{asked} {row.answer}", f"{asked} {reference}"])
    return float(one @ other)
