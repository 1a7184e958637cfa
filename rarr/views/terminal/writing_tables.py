"""Renders the report of `rarr bench wikigen` as a table of text, beside the published figures."""

from collections.abc import Sequence

from rarr.evals.literature.wikigen_benchmark import MEASURES, WikigenReport, WrittenScores
from rarr.evals.metrics import Measured
from rarr.views.terminal.evaluation_tables import aligned_table, shown_number


def wikigen_text(report: WikigenReport) -> str:
    """Renders the citation measures before and after the check, and the overlap with the references."""
    citing: list[Sequence[str]] = [
        (
            "system, reranker",
            *(f"{name} as written" for name in MEASURES),
            *(f"{name} checked" for name in MEASURES),
            "articles",
        )
    ]
    for name, each in report.systems.items():
        measures = [*each.as_written.values(), *each.checked.values()]
        citing.append((name, *map(_cell, measures), str(each.articles)))
    for name, figures in report.published.systems.items():
        published = (shown_number(figures[measure]) for measure in MEASURES)
        citing.append((f"* {name}", *published, "", "", "", ""))
    words: list[Sequence[str]] = [("system, reranker", "ROUGE-L", "METEOR", "words", "seconds")]
    for name, each in report.systems.items():
        words.append((name, _cell(each.rouge_l), _cell(each.meteor), *_counts(each)))
    for name, figures in report.published.systems.items():
        shared = (shown_number(figures[measure]) for measure in ("rouge_l", "meteor"))
        words.append((f"* {name}", *shared, f"{figures['words']:.0f}", ""))
    note = f"* as printed by {report.published.paper}; other rows: {report.published.differ}\n"
    head = f"WikiGenBench: {report.events} events with pages. The verifier of the run judges citations.\n"
    return "\n".join([head, aligned_table(citing), aligned_table(words) + note])


def _counts(scores: WrittenScores) -> tuple[str, str]:
    return tuple(
        "-" if each.value is None else f"{each.value:.0f}" for each in (scores.words, scores.seconds)
    )  # type: ignore[return-value]  # of two


def _cell(measured: Measured) -> str:
    if measured.value is None:
        return "-"
    interval = "" if measured.low is None else f" [{measured.low:.3f}, {measured.high:.3f}]"
    return f"{measured.value:.3f}{interval}"
