"""What the page says in numbers: the run, its measures, edit kinds, sentence statuses and every row."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from rarr.evals.metrics import EDIT_KINDS, Measured, restored
from rarr.evals.page.charts import bar, stacked, swatch
from rarr.evals.page.markup import first, interval
from rarr.evals.reports import EvalReport, ScoredRow
from rarr.records import Status
from rarr.tools.text.markup import folded, isolated, number, paragraph, section, shown, table
from rarr.tools.text.nouns import counted

NAMED, ROWS = 50, 500
STATUSES: tuple[Status, ...] = get_args(Status)
_MEASURED = ("Measure", "Value", "95% interval", "0 to 1", "Rows", "Not judged")
_NOT_SHARES = ("seconds", "calls", "tokens", "cost", "edits")
_NAMES = {"f1_ap": "F1_AP", "sari": "SARI", "rouge_l": "ROUGE-L", "intent": "intent kept"}
_NAMES |= {"pres_comb": "intent times preservation (Pres_comb)"}
_KINDS: dict[str, str] = {
    "huge": "preservation below 0.5",
    "bad": "attribution falls by more than 0.1",
    "unnecessary": "bad, and attribution was above 0.9",
    "good": "attribution rises by more than 0.3, preservation above 0.7",
}


def head(report: EvalReport) -> str:
    """What was evaluated, how, and what of the data came to nothing."""
    changed = sum(row.text != row.original for row in report.rows)
    judged = sum(row.scores.f1_ap is not None for row in report.rows)
    failed = [row for row in report.rows if row.error]
    facts = f"{counted(len(report.rows), 'row')}, {changed:,} of them changed, {judged:,} with an F1_AP"
    return "\n".join(
        [
            f'<header>\n<p class="facts">rarr evaluation</p>\n<h1>{isolated(report.data)}</h1>',
            paragraph(facts),
            _settings(report.settings),
            _problems(
                "Unreadable lines", [f"line {one.line}: {isolated(one.reason)}" for one in report.unreadable]
            ),
            _problems(
                "Rows with errors", [f"<b>{isolated(row.id)}</b>: {isolated(row.error)}" for row in failed]
            ),
            "</header>",
        ]
    )


def scores(report: EvalReport) -> str:
    """Every measure that has no part of its own, with its interval. What was not judged has no value."""
    apart = {*EDIT_KINDS, *STATUSES}
    measures = {name: one for name, one in report.measures.items() if name not in apart}
    if not measures:
        return section("scores", "Scores", paragraph("Nothing was measured."))
    cells = (_cells_of(name, one, _bar(name, one)) for name, one in measures.items())
    drawn = table("Measures over all rows", _MEASURED, cells, numbers="-nnbnn")
    return section("scores", "Scores", drawn, _unjudged(measures))


def kinds(report: EvalReport) -> str:
    """The kinds of edit of PURR (Chen 2023, figure 7.2), as shares of rows."""
    measures = {kind: report.measures[kind] for kind in _KINDS if kind in report.measures}
    if not measures:
        return section("kinds", "Edit kinds", paragraph("Kinds of edit were not measured."))
    cells = (_cells_of(kind, one, bar(one, filled=True)) for kind, one in measures.items())
    drawn = table("Rows by kind of edit", _MEASURED, cells, numbers="-nnbnn")
    meant = "; ".join(f"<b>{kind}</b>: {_KINDS[kind]}" for kind in measures)
    said = f'<p class="facts">{meant}. A row may be of several kinds, or of none.</p>'
    return section("kinds", "Edit kinds", drawn, said, _unjudged(measures))


def statuses(report: EvalReport) -> str:
    """Of all sentences after revision, how many have each status; the interval is that of the measure."""
    found = Counter(status for row in report.rows for status in row.statuses)
    counts: dict[str, int] = {status: found[status] for status in STATUSES if found[status]}
    if not counts:
        return section("statuses", "Sentences", paragraph("No sentence has a status."))
    columns = ("Status", "Sentences", "Share", "95% interval")
    cells = (
        (
            f"{swatch(name)} {name.replace('_', ' ')}",
            f"{count:,}",
            f"{count / found.total():.2f}",
            interval(report.measures.get(name, Measured())),
        )
        for name, count in counts.items()
    )
    drawn = table("Sentences after revision, by status", columns, cells, numbers="-nnn")
    return section("statuses", "Sentences", stacked(counts), drawn)


def all_rows(rows: Sequence[ScoredRow]) -> str:
    """A line a row, in the order of the data; rows beyond `ROWS` are counted."""
    if not rows:
        return ""
    columns = ("Row", "Attribution before", "After", "Preservation", "F1_AP", "Edit kinds", "Supported")
    more = ("Edits", "Refused", "Model calls", "Seconds", "Human revision", "Error")
    drawn = table(
        "Every row, in the order of the data", columns + more, map(_cells, rows[:ROWS]), numbers="-nnnn-nnnnn"
    )
    left = len(rows) - ROWS
    return section(
        "rows", "All rows", drawn, paragraph(f"{left:,} more are in report.json.") if left > 0 else ""
    )


def _cells(row: ScoredRow) -> list[str]:
    one = row.scores
    values = [one.attribution_before, one.attribution_after, one.preservation, one.f1_ap]
    supported = f"{row.statuses.count('supported')} of {len(row.statuses)}" if row.statuses else "–"
    counts = [f"{count:,}" for count in (row.edits, row.refused_edits, row.model_calls)]
    return [
        isolated(row.id),
        *("–" if value is None else number(value) for value in values),
        ", ".join(row.kinds) or "–",
        supported,
        *counts,
        f"{row.seconds:,.1f}",
        _beside(row),
        isolated(row.error),
    ]


def _beside(row: ScoredRow) -> str:
    """Is the revision the person's, up to white space?"""
    if row.reference is None:
        return "–"
    return "the same" if restored(row.text, row.reference) else "other"


def _settings(settings: dict[str, str]) -> str:
    if not settings:
        return paragraph("All settings have their defaults.")
    cells = (
        (f"<code>{shown(name)}</code>", f"<code>{shown(value)}</code>") for name, value in settings.items()
    )
    return table("Settings that differ from the defaults", ("Setting", "Value"), cells)


def _problems(heading: str, lines: Sequence[str]) -> str:
    return folded(f"{heading}: {len(lines):,}", first(lines, NAMED), unfolded=True) if lines else ""


def _named(name: str) -> str:
    return _NAMES.get(name) or shown(name.replace("_", " "))


def _bar(name: str, measured: Measured) -> str:
    """A bar where the measure is one of those between 0 and 1, rather than a count or a time."""
    ends = (measured.value, measured.low, measured.high)
    within = all(end is None or 0 <= end <= 1 for end in ends)
    return bar(measured) if within and not name.endswith(_NOT_SHARES) else ""


def _cells_of(name: str, one: Measured, drawn: str) -> tuple[str, ...]:
    return _named(name), number(one.value), interval(one), drawn, f"{one.n:,}", f"{one.unjudged:,}"


def _unjudged(measures: Mapping[str, Measured]) -> str:
    lines = [
        f"{_named(name)}, {one.unjudged:,} of {counted(one.n + one.unjudged, 'row')}"
        for name, one in measures.items()
        if one.unjudged
    ]
    if not lines:
        return ""
    return paragraph(f'<span class="warn">Not judged, and in no value:</span> {"; ".join(lines)}.')
