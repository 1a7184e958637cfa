"""An evaluation as one page of HTML: no script, nothing from elsewhere, the same for the same report."""

from pathlib import Path

from rarr.evals.page import tables
from rarr.evals.page.cases import cases
from rarr.evals.page.scatter import Dot, scatter
from rarr.evals.reports import EvalReport, ScoredRow
from rarr.tools.text.markup import STYLE, document, paragraph, section
from rarr.tools.text.nouns import counted

__all__ = ["render_html"]

_STYLE = Path(__file__).parent / "page" / "style.css"
_LINKS = {"scores": "Scores", "scatter-of-rows": "Attribution and preservation", "kinds": "Edit kinds"}
_LINKS |= {"statuses": "Sentences", "cases": "Cases", "rows": "All rows"}


def render_html(report: EvalReport) -> str:
    """The whole page, to be written as UTF-8."""
    parts = [
        tables.head(report),
        _links(report),
        "<main>",
        tables.scores(report),
        _against(report.rows),
        tables.kinds(report),
        tables.statuses(report),
        cases(report.rows),
        tables.all_rows(report.rows),
        "</main>",
    ]
    own = _STYLE.read_text(encoding="utf-8")
    return document(f"{report.data}: rarr evaluation", STYLE + own, "\n".join(part for part in parts if part))


def _links(report: EvalReport) -> str:
    there = _LINKS if report.rows else {"scores": "Scores"}
    links = (f'<a href="#{name}">{words}</a>' for name, words in there.items())
    return f'<nav aria-label="Parts of this page">{" ".join(links)}</nav>'


def _against(rows: tuple[ScoredRow, ...]) -> str:
    dots = [dot for row in rows if (dot := _dot(row))]
    without = len(rows) - len(dots)
    said = f"Not drawn: {counted(without, 'row')} of which one of the two was not judged." if without else ""
    return section(
        "scatter-of-rows",
        "Attribution against preservation",
        paragraph("A circle is a row after revision; with a number, it is so many rows that lie together."),
        scatter(dots) if dots else paragraph("No row was judged for both."),
        paragraph(said) if said else "",
    )


def _dot(row: ScoredRow) -> Dot | None:
    one = row.scores
    if one.preservation is None or one.attribution_before is None or one.attribution_after is None:
        return None
    return Dot(row.id, one.preservation, one.attribution_before, one.attribution_after)
