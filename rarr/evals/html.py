"""Writes an evaluation as one page of HTML, which has no script and loads nothing.

The same report gives the same page.
"""

from collections import Counter
from collections.abc import Mapping
from typing import get_args

from rarr.evals.metrics import EDIT_KINDS, Measured, restored
from rarr.evals.page import best_and_worst_rows
from rarr.evals.page.scatter_positions import Chart, Dot
from rarr.evals.report_records import EvalReport, ScoredRow
from rarr.records import Status
from rarr.tools.pages.html_rendering import render

__all__ = ["render_html"]

_STATUSES: tuple[Status, ...] = get_args(Status)
_NOT_SHARES = ("seconds", "calls", "tokens", "cost", "edits")
_KINDS = {
    "huge": "preservation below 0.5",
    "bad": "attribution falls by more than 0.1",
    "unnecessary": "bad, and attribution was above 0.9",
    "good": "attribution rises by more than 0.3, preservation above 0.7",
}
"""The kinds of edit of PURR (Chen 2023, figure 7.2)."""


def render_html(report: EvalReport) -> str:
    """Renders the HTML page of an evaluation's report. Write it as UTF-8."""
    measures = report.measures
    dots = [dot for row in report.rows if (dot := _dot(row))]
    statuses = Counter(status for row in report.rows for status in row.statuses)
    return render(
        "evals/page/report.html",
        report=report,
        changed=sum(row.text != row.original for row in report.rows),
        judged=sum(row.scores.f1_ap is not None for row in report.rows),
        scores={name: measure for name, measure in measures.items() if name not in {*EDIT_KINDS, *_STATUSES}},
        between_0_and_1=_between_0_and_1(measures),
        kinds={kind: measures[kind] for kind in _KINDS if kind in measures},
        meanings=_KINDS,
        statuses={status: statuses[status] for status in _STATUSES if statuses[status]},
        chart=Chart(dots) if dots else None,
        undrawn=len(report.rows) - len(dots),
        cases=best_and_worst_rows,
        restored=restored,
    )


def _between_0_and_1(measures: Mapping[str, Measured]) -> set[str]:
    """Names the measures that a bar from 0 to 1 can show, without counts and times."""
    return {
        name
        for name, measure in measures.items()
        if all(end is None or 0 <= end <= 1 for end in (measure.value, measure.low, measure.high))
        and not name.endswith(_NOT_SHARES)
    }


def _dot(row: ScoredRow) -> Dot | None:
    scores = row.scores
    if scores.preservation is None or scores.attribution_before is None or scores.attribution_after is None:
        return None
    return Dot(row.id, scores.preservation, scores.attribution_before, scores.attribution_after)
