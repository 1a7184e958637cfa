"""Writes an evaluation as one page of HTML, which has no script and loads nothing.

The same report gives the same page. The templates lie in `page/`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from types import SimpleNamespace
from typing import NamedTuple

from rarr.evals.measures import STATUSES, EvalReport, ScoredRow
from rarr.evals.metrics.statistics import Measured
from rarr.evals.metrics.texts import EDIT_KINDS, restored
from rarr.evals.word_diff import word_diff
from rarr.tools.pages.html_rendering import render
from rarr.tools.text.wording import counted

_NOT_SHARES = ("seconds", "calls", "tokens", "cost", "edits")
_KINDS = {
    "huge": "preservation below 0.5",
    "bad": "attribution falls by more than 0.1",
    "unnecessary": "bad, and attribution was above 0.9",
    "good": "attribution rises by more than 0.3, preservation above 0.7",
}
"""The kinds of edit of PURR (Chen 2023, figure 7.2)."""

MOST = 10
"""The most rows of a list of cases."""
KEPT, CHANGED = 600, 3000
"""The most characters that are shown of an unchanged ("kept") segment, and of a changed segment."""
SEEN = 0.005
"""The smallest change of attribution that two decimals show."""
LONGEST = 20_000
"""The most characters of one text that are shown."""
_NEAR = 50
"""The number of places on one side of the chart. Rows in the same place are drawn as one circle."""


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
        scores={name: measure for name, measure in measures.items() if name not in {*EDIT_KINDS, *STATUSES}},
        between_0_and_1=_between_0_and_1(measures),
        kinds={kind: measures[kind] for kind in _KINDS if kind in measures},
        meanings=_KINDS,
        statuses={status: statuses[status] for status in STATUSES if statuses[status]},
        chart=Chart(dots) if dots else None,
        undrawn=len(report.rows) - len(dots),
        cases=SimpleNamespace(ranked=ranked, runs=runs, cut=cut, facts=facts),
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


def ranked(rows: Sequence[ScoredRow]) -> dict[str, list[ScoredRow]]:
    """Lists rows by heading: lowest and highest F1_AP, and largest fall and rise of attribution.

    Rows that were not judged, and very small changes, are left out.
    """
    judged = sorted(
        (row for row in rows if row.scores.f1_ap is not None), key=lambda row: row.scores.f1_ap or 0.0
    )
    most = min(MOST, len(judged) // 2)
    moved = sorted(rows, key=_change)
    return {
        "Lowest F1_AP": judged[: most or 1],
        "Highest F1_AP": judged[::-1][:most],
        "Attribution fell most": [row for row in moved if _change(row) < -SEEN][:MOST],
        "Attribution rose most": [row for row in reversed(moved) if _change(row) > SEEN][:MOST],
    }


def _change(row: ScoredRow) -> float:
    """The attribution after the revision less that before; 0 if it was not judged both times."""
    before, after = row.scores.attribution_before, row.scores.attribution_after
    return 0.0 if before is None or after is None else after - before


def runs(before: str, after: str) -> Iterator[tuple[str, list[str]]]:
    """Yields the kept, deleted and inserted segments between two texts, each shortened by `cut`.

    The end of a text above about `LONGEST` characters is replaced by a remark.
    """
    left = LONGEST
    for kind, text, _ in word_diff(before, after):
        if left <= 0:
            yield "kept", ["", "the rest is in report.json", ""]
            return
        yield kind, cut(text, KEPT if kind == "kept" else CHANGED)
        left -= min(len(text), CHANGED)


def cut(text: str, most: int = CHANGED) -> list[str]:
    """Returns [text] or, if it is long, its beginning, "N characters" for its middle, and its end."""
    if len(text) <= most + 100:
        return [text]
    half = most // 2
    return [text[:half], f"{len(text) - 2 * half:,} characters", text[-half:]]


def facts(row: ScoredRow) -> list[str]:
    """Writes the kinds and numbers of edits and the statuses of sentences of a row in words."""
    statuses = Counter(status.replace("_", " ") for status in row.statuses)
    return [
        f"edit kinds: {', '.join(row.kinds) or 'none'}",
        counted(row.edits, "edit"),
        f"{row.refused_edits:,} refused",
        f"sentences: {', '.join(f'{n} {status}' for status, n in statuses.items()) or 'none'}",
    ]


class Dot(NamedTuple):
    """A row: its preservation, and its attribution before and after the revision, each from 0 to 1."""

    name: str
    preservation: float
    before: float
    after: float


def _dot(row: ScoredRow) -> Dot | None:
    scores = row.scores
    if scores.preservation is None or scores.attribution_before is None or scores.attribution_after is None:
        return None
    return Dot(row.id, scores.preservation, scores.attribution_before, scores.attribution_after)


class Chart:
    """Positions in the chart of attribution against preservation (Chen 2023, figure 6.5), for some rows.

    Before a revision everything is preserved, so the mark `before` stands at the right edge. Most revisions
    keep nearly the whole text, so the axis of preservation begins at `low`; that of attribution begins at 0.
    """

    wide, high = 440, 430
    left, top, side = 54, 36, 340
    bottom = top + side

    def __init__(self, dots: list[Dot]) -> None:
        self.dots = dots
        self.kept = fmean(dot.preservation for dot in dots)
        self.before, self.after = fmean(dot.before for dot in dots), fmean(dot.after for dot in dots)
        least = min(dot.preservation for dot in dots)
        self.low, self.steps = next((low, n) for low, n in ((0.8, 4), (0.5, 5), (0.0, 5)) if least >= low)

    def x(self, preservation: float) -> float:
        """The horizontal position of a preservation from 0 to 1."""
        return self.left + self.side * (preservation - self.low) / (1 - self.low)

    def y(self, attribution: float) -> float:
        """The vertical position of an attribution from 0 to 1."""
        return self.bottom - self.side * attribution

    def curve(self, f1: float) -> list[tuple[float, float]]:
        """Computes the points at which F1_AP, 2ap / (a + p), is `f1`, up to preservation 1."""
        first = max(f1 / (2 - f1), self.low)
        kept = [first + (1 - first) * (n / 40) ** 2 for n in range(41)]  # closer where it is steep
        return [(self.x(p), self.y(f1 * p / (2 * p - f1))) for p in kept]

    def circles(self) -> list[list[Dot]]:
        """Groups of rows that lie together, the largest first, so that smaller circles are drawn above."""
        circles, size = defaultdict(list), self.side / _NEAR
        for dot in self.dots:
            circles[round(self.x(dot.preservation) / size), round(self.y(dot.after) / size)].append(dot)
        return sorted(circles.values(), key=len, reverse=True)

    def means(self) -> list[tuple[str, float, float, str]]:
        """Lists the means before and after as (kind, x, y, label); means that lie near share one label."""
        start, end = (self.x(1), self.y(self.before)), (self.x(self.kept), self.y(self.after))
        apart = abs(end[0] - start[0]) > 120 or abs(end[1] - start[1]) > 18
        labels = ("mean before", "mean after") if apart else ("", "mean before and after")
        return [("before", *start, labels[0]), ("after", *end, labels[1])]
