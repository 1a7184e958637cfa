"""An evaluation as one page of HTML: no script, nothing from elsewhere, the same for the same report."""

from collections import Counter
from collections.abc import Mapping
from typing import get_args

from rarr.evals.metrics import EDIT_KINDS, Measured, restored
from rarr.evals.page import cases
from rarr.evals.page.scatter import Chart, Dot
from rarr.evals.reports import EvalReport, ScoredRow
from rarr.records import Status
from rarr.tools.pages.rendering import render

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
    """The whole page, to be written as UTF-8."""
    measures = report.measures
    dots = [dot for row in report.rows if (dot := _dot(row))]
    statuses = Counter(status for row in report.rows for status in row.statuses)
    return render(
        "evals/page/report.html",
        report=report,
        changed=sum(row.text != row.original for row in report.rows),
        judged=sum(row.scores.f1_ap is not None for row in report.rows),
        scores={name: one for name, one in measures.items() if name not in {*EDIT_KINDS, *_STATUSES}},
        between_0_and_1=_between_0_and_1(measures),
        kinds={kind: measures[kind] for kind in _KINDS if kind in measures},
        meanings=_KINDS,
        statuses={status: statuses[status] for status in _STATUSES if statuses[status]},
        chart=Chart(dots) if dots else None,
        undrawn=len(report.rows) - len(dots),
        cases=cases,
        restored=restored,
    )


def _between_0_and_1(measures: Mapping[str, Measured]) -> set[str]:
    """The measures that a bar from 0 to 1 can show, rather than counts and times."""
    return {
        name
        for name, one in measures.items()
        if all(end is None or 0 <= end <= 1 for end in (one.value, one.low, one.high))
        and not name.endswith(_NOT_SHARES)
    }


def _dot(row: ScoredRow) -> Dot | None:
    one = row.scores
    if one.preservation is None or one.attribution_before is None or one.attribution_after is None:
        return None
    return Dot(row.id, one.preservation, one.attribution_before, one.attribution_after)
