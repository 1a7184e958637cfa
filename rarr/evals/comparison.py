"""Compares two finished evaluation runs, row by row."""

from collections.abc import Mapping
from pathlib import Path

from rarr.errors import InputError
from rarr.evals.measures import Measure, available, set_f1_pair
from rarr.evals.metrics import f1_ap_of_set, mean, paired, paired_f1_ap
from rarr.evals.report_records import Compared, Comparison, EvalReport, ScoredRow
from rarr.evals.run_folder import finished


def compare(a: str | Path, b: str | Path) -> Comparison:
    """Compares the runs in the folders `a` and `b` by every measure of rows: `b` against `a`.

    Rows belong together by id; rows of only one run are counted. A row with an error in either run, or a row
    that either could not judge, is `unjudged`. Raises `InputError` for a run that is missing or not finished,
    for a row with different texts in the two runs, and if no row is in both runs.
    """
    rows_a, rows_b = _rows(finished(Path(a))), _rows(finished(Path(b)))
    both = [(row, rows_b[name]) for name, row in rows_a.items() if name in rows_b]
    if not both:
        raise InputError(f"{a} and {b} have no row in common: compare runs over the same data")
    for row_a, row_b in both:
        if row_a.original != row_b.original:
            raise InputError(f"row {row_a.id!r} is another text in {b}: compare runs over the same data")
    return Comparison(
        a=str(a),
        b=str(b),
        rows=len(both),
        only_a=len(rows_a) - len(both),
        only_b=len(rows_b) - len(both),
        measures=_all_compared(both),
    )


def _all_compared(both: list[tuple[ScoredRow, ScoredRow]]) -> dict[str, Compared]:
    measures = {}
    for name, measure in available().items():
        if concerned := [pair for pair in both if all(map(measure.applies, pair))]:
            measures[name] = _compared(measure, concerned)
        if name == "preservation":
            measures["f1_ap"] = _compared_f1(both)
    return measures


def _compared_f1(rows: list[tuple[ScoredRow, ScoredRow]]) -> Compared:
    """Compares F1_AP of the averages."""
    scores = [(set_f1_pair(row_a), set_f1_pair(row_b)) for row_a, row_b in rows]
    judged = [(a, b) for a, b in scores if a is not None and b is not None]
    return Compared(
        a=f1_ap_of_set([a for a, _ in judged]),
        b=f1_ap_of_set([b for _, b in judged]),
        paired=paired_f1_ap([a for a, _ in scores], [b for _, b in scores]),
    )


def _rows(report: EvalReport) -> Mapping[str, ScoredRow]:
    return {row.id: row for row in report.rows}


def _compared(measure: Measure, rows: list[tuple[ScoredRow, ScoredRow]]) -> Compared:
    values = [(measure.value(row_a), measure.value(row_b)) for row_a, row_b in rows]
    a, b = [value for value, _ in values], [value for _, value in values]
    judged = [
        (value_a, value_b) for value_a, value_b in values if value_a is not None and value_b is not None
    ]
    return Compared(
        a=mean([value for value, _ in judged], resamples=0).value,
        b=mean([value for _, value in judged], resamples=0).value,
        paired=paired(a, b),
    )
