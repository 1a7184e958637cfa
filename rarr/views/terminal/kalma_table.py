"""Renders the report of the benchmark of KaLMA as tables of text, beside the published figures."""

from collections.abc import Sequence

from rarr.evals.literature.kalma_benchmark import KalmaReport, KalmaScores
from rarr.evals.metrics.triples import TripleScores
from rarr.views.terminal.evaluation_tables import aligned_table, shown_interval, shown_number

_HEAD = ("", "precision", "recall", "F1")


def kalma_text(report: KalmaReport) -> str:
    """Renders the citations of both sets, the scores against the minimum knowledge, and the gaps."""
    evolved = report.evolved
    sets = (("rows of the data", report.rows), ("evolved questions", evolved.scores))
    counts: list[Sequence[str]] = [("", "questions", "statements", "citations", "without a citation", "[NA]")]
    counts += [
        (name, *map(str, (each.questions, each.statements, each.citations, each.unanswered, each.marked)))
        for name, each in sets
    ]
    shares: list[Sequence[str]] = [("", "value", "95% interval")]
    shares += [line for name, each in sets for line in _shares(name, each)]
    published = [
        (f"* {name}", *(f"{measure} {value:.3f}" for measure, value in figures.items()))
        for name, figures in report.published.systems.items()
    ]
    scored: list[Sequence[str]] = [_HEAD]
    scored += [_line(f"{kind}, micro", scores) for kind, scores in evolved.micro.items()]
    scored += [_line(f"{kind}, macro", scores) for kind, scores in evolved.macro.items()]
    retrieved = [_HEAD, *(_line(accuracy, scores) for accuracy, scores in evolved.by_accuracy.items())]
    parts = [
        f"KaLMA, answers by {report.generator}\n\n{aligned_table(counts)}",
        aligned_table(shares),
        "\n".join("  ".join(line) for line in published),
        f"* {report.published.paper}: {report.published.differ}\n",
        f"against the minimum knowledge of evolved questions\n{aligned_table(scored)}",
        f"the same, micro, by the share of questions with their own graph\n{aligned_table(retrieved)}",
        *(_gaps(name, each) for name, each in sets),
    ]
    return "\n".join(parts)


def _shares(name: str, scores: KalmaScores) -> list[Sequence[str]]:
    measures = (
        ("correct", scores.correctness),
        ("correct, as written", scores.as_written),
        ("aligned", scores.aligned),
    )
    return [
        (f"{name}: {measure}", shown_number(value.value), shown_interval(value))
        for measure, value in measures
    ]


def _gaps(name: str, scores: KalmaScores) -> str:
    lines: list[Sequence[str]] = [("triples removed", *_HEAD[1:])]
    lines += [_line(f"{count}, answers", scores) for count, scores in scores.gaps.items()]
    lines += [_line(f"{count}, drafts", scores) for count, scores in scores.draft_gaps.items()]
    return f"[NA] of the {name}\n{aligned_table(lines)}"


def _line(name: str, scores: TripleScores) -> Sequence[str]:
    return name, *(shown_number(value) for value in (scores.precision, scores.recall, scores.f1))
