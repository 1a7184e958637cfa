"""Compares two finished evaluation runs, row by row."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from rarr.errors import InputError
from rarr.evals.measures import EvalReport, ScoredRow, available, set_f1_pair
from rarr.evals.metrics.statistics import Paired, f1_ap_of_set, mean, paired
from rarr.evals.run_folder import finished
from rarr.ledger.scores import f1_ap
from rarr.records import Record

Both = list[tuple[ScoredRow, ScoredRow]]


class Compared(Record):
    """One measure of two runs, `a` and `b`: the means over the rows that both judged, and `b - a`."""

    a: float | None = None
    b: float | None = None
    paired: Paired


class Comparison(Record):
    """The comparison of the evaluation runs in the folders `a` and `b`.

    `rows` counts the rows in both runs; `only_a` and `only_b` count those in only one run.
    """

    a: str
    b: str
    rows: int
    only_a: int = 0
    only_b: int = 0
    measures: dict[str, Compared] = Field(default_factory=dict)


def compare(a: str | Path, b: str | Path) -> Comparison:
    """Compares the runs in the folders `a` and `b` by every measure of rows: `b` against `a`.

    Rows belong together by id; rows of only one run are counted. A row with an error in either run, or a row
    that either could not judge, is `unjudged`. Raises `InputError` for a run that is missing or not finished,
    for a row with different texts in the two runs, and if no row is in both runs.
    """
    rows_a, rows_b = ({row.id: row for row in finished(Path(run), EvalReport).rows} for run in (a, b))
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
        measures=_measures(both),
    )


def _measures(both: Both) -> dict[str, Compared]:
    measures = {}
    for name, measure in available().items():
        if concerned := [pair for pair in both if all(map(measure.applies, pair))]:
            a, b = ([measure.value(row) for row in rows] for rows in zip(*concerned, strict=True))
            judged = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
            means = [mean([pair[side] for pair in judged], resamples=0).value for side in (0, 1)]
            measures[name] = Compared(a=means[0], b=means[1], paired=paired(_alone(a), _alone(b)))
        if name == "preservation":
            measures["f1_ap"] = _f1_of_set(both)
    return measures


def _alone(values: Sequence[float | None]) -> list[tuple[float] | None]:
    return [None if value is None else (value,) for value in values]


def _f1_of_set(both: Both) -> Compared:
    """Compares F1_AP of the averages."""
    a, b = ([set_f1_pair(row) for row in rows] for rows in zip(*both, strict=True))
    judged = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    sets = [f1_ap_of_set([pair[side] for pair in judged]) for side in (0, 1)]
    return Compared(a=sets[0], b=sets[1], paired=paired(a, b, f1_ap))
