"""Two finished runs, row by row."""

from collections.abc import Mapping
from pathlib import Path

from rarr.errors import InputError
from rarr.evals.folder import finished
from rarr.evals.measures import Measure, available
from rarr.evals.metrics import mean, paired
from rarr.evals.reports import Compared, Comparison, EvalReport, ScoredRow


def compare(a: str | Path, b: str | Path) -> Comparison:
    """The paired comparison of the runs in the folders `a` and `b`: of every row measure, `b` against `a`.

    Rows belong together by id; those of one run alone are counted. A row with an error in either run, or that
    either could not judge, is `unjudged`. Raises `InputError` for a run that is missing or not finished, and
    where a row has another text in the other run, or no row is in both.
    """
    one, other = _rows(finished(Path(a))), _rows(finished(Path(b)))
    both = [(row, other[name]) for name, row in one.items() if name in other]
    if not both:
        raise InputError(f"{a} and {b} have no row in common: compare runs over the same data")
    for mine, its in both:
        if mine.original != its.original:
            raise InputError(f"row {mine.id!r} is another text in {b}: compare runs over the same data")
    return Comparison(
        a=str(a),
        b=str(b),
        rows=len(both),
        only_a=len(one) - len(both),
        only_b=len(other) - len(both),
        measures={
            name: _compared(measure, concerned)
            for name, measure in available().items()
            if (concerned := [pair for pair in both if all(map(measure.applies, pair))])
        },
    )


def _rows(report: EvalReport) -> Mapping[str, ScoredRow]:
    return {row.id: row for row in report.rows}


def _compared(measure: Measure, rows: list[tuple[ScoredRow, ScoredRow]]) -> Compared:
    values = [(measure.value(mine), measure.value(its)) for mine, its in rows]
    a, b = [one for one, _ in values], [one for _, one in values]
    judged = [(one, other) for one, other in values if one is not None and other is not None]
    return Compared(
        a=mean([one for one, _ in judged], resamples=0).value,
        b=mean([one for _, one in judged], resamples=0).value,
        paired=paired(a, b),
    )
