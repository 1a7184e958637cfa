"""Renders the measures of an evaluation, of two compared ones, or of raters, as a table of text."""

from collections.abc import Sequence

from rarr.evals.metrics import Measured
from rarr.evals.rating.merging import MergedRatings
from rarr.evals.report_records import Comparison, EvalReport
from rarr.tools.text.plurals_and_articles import counted
from rarr.views.terminal.revision import one_line

_NAME = 40  # characters of a rater's name that are shown


def scores_table(report: EvalReport) -> str:
    """Renders the number of rows, and each measure with its 95% interval over rows."""
    rows = [("measure", "value", "95% interval", "rows", "not judged")]
    rows += [
        (name, shown_number(measure.value), shown_interval(measure), str(measure.n), str(measure.unjudged))
        for name, measure in report.measures.items()
    ]
    errors = sum(bool(row.error) for row in report.rows)
    counts = f"rows: {len(report.rows)}, with an error: {errors}, lines left out: {len(report.unreadable)}\n"
    return f"{counts}\n{aligned_table(rows)}\n"


def comparison_table(compared: Comparison) -> str:
    """Renders each measure of both runs over the rows that both judged, with the difference and its p."""
    rows = [("measure", "A", "B", "B - A", "95% interval", "p", "rows", "not judged")]
    for name, measure in compared.measures.items():
        difference, p = measure.paired.difference, measure.paired.p
        rows.append(
            (
                name,
                shown_number(measure.a),
                shown_number(measure.b),
                shown_number(difference.value, "+.3f"),
                shown_interval(difference, "+.3f"),
                shown_number(p, ".4f"),
                str(difference.n),
                str(difference.unjudged),
            )
        )
    only = f"of A alone: {compared.only_a}, of B alone: {compared.only_b}"
    return f"A: {compared.a}\nB: {compared.b}\nrows of both: {compared.rows}, {only}\n\n{aligned_table(rows)}"


def agreement_table(ratings: MergedRatings) -> str:
    """Renders the raters, a line for each question with its 95% intervals over items, and the labels."""
    rows = [("question", "items", "agreement", "95% interval", "alpha", "95% interval")]
    for name, agreement in ratings.agreement.items():
        percent, alpha = agreement.percent, agreement.alpha
        shares = shown_number(percent.value), shown_interval(percent)
        rows.append((name, str(percent.n), *shares, shown_number(alpha.value), shown_interval(alpha)))
    names = ", ".join(one_line(rater, _NAME) for rater in ratings.raters)
    raters = f"{counted(len(ratings.raters), 'rater')}: {names}"
    counts = {name.replace("null", "without a majority"): n for name, n in ratings.labels.items()}
    labels = ", ".join(f"{n} {name}" for name, n in counts.items())
    return f"{raters}; {counted(ratings.items, 'item')}\n\n{aligned_table(rows)}\n{labels}\n"


def aligned_table(rows: Sequence[Sequence[str]]) -> str:
    """Aligns rows in columns: the first column to the left, the other columns to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() + "\n"
        for row in rows
    )


def shown_number(value: float | None, form: str = ".3f") -> str:
    return "-" if value is None else format(value, form)


def shown_interval(measured: Measured, form: str = ".3f") -> str:
    if measured.low is None or measured.high is None:
        return "-"
    return f"{measured.low:{form}} to {measured.high:{form}}"
