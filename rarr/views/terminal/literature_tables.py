"""Renders the reports of the benchmarks of the literature as tables of text, beside the published figures."""

from collections.abc import Mapping, Sequence

from rarr.evals.literature.attrscore_benchmark import AttrScoreReport
from rarr.evals.literature.expertqa_benchmark import ExpertQAReport, SystemScores
from rarr.evals.literature.factscore_benchmark import FactScoreReport
from rarr.evals.literature.published import PublishedFigures
from rarr.evals.metrics import Measured
from rarr.views.terminal.evaluation_tables import aligned_table, shown_interval, shown_number
from rarr.views.terminal.verification import scores_text

_CLASSES = ("attributable_f1", "contradictory_f1", "extrapolatory_f1", "micro_f1", "macro_f1", "accuracy")
_FACTUAL = ("f1_true", "f1_false", "micro_f1")
_SYSTEM = ("precision", "recall", "f1", "balanced_accuracy")


def attrscore_text(report: AttrScoreReport) -> str:
    """Renders the F1 of the classes by each judge and by the paper's systems, and the constructions."""
    parts = [f"AttrScore, simulation A to D: {report.claims} claims from {report.questions} answers\n"]
    rows: list[Sequence[str]] = [("judge", *map(_spaced, _CLASSES), "claims", "not judged")]
    for judge, each in report.judges.items():
        measures = each.scores.three_way
        rows.append(
            (judge, *(_cell(measures.get(name)) for name in _CLASSES), *_counts(measures.get("micro_f1")))
        )
    rows += _published(report.published, _CLASSES)
    parts.append(aligned_table(rows) + _note(report.published))
    for judge, each in report.judges.items():
        lines = [("construction", "right", "95% interval", "claims", "not judged")]
        lines += [
            (name, shown_number(hits.value), shown_interval(hits), *_counts(hits))
            for name, hits in each.constructions.items()
        ]
        parts.append(f"labels of {judge}, by construction\n{aligned_table(lines)}")
        parts.append(f"all scores of {judge}\n\n{scores_text(each.scores)}")
    return "\n".join(parts)


def expertqa_text(report: ExpertQAReport) -> str:
    """Renders the scores of each judge by system and field, and those of the rule for cite-worthy claims."""
    parts = [f"ExpertQA: {report.claims} claims with the text of a passage\n"]
    for judge, each in report.judges.items():
        for by, groups in each.groups.items():
            published = report.published if by == "system" else None
            parts.append(f"{judge}, claims worth a citation, by {by}\n{_systems(by, groups, published)}")
        parts.append(f"{judge}, all labelled claims\n\n{scores_text(each.scores)}")
    lines = [("cite-worthy claims", *map(_spaced, _SYSTEM), "claims")]
    for name, measures in (
        ("with a value to check", report.worthiness),
        ("every claim", report.worthiness_of_all),
    ):
        lines.append((name, *(_cell(measures.get(each)) for each in _SYSTEM), _counts(measures.get("f1"))[0]))
    return "\n".join([*parts, aligned_table(lines)])


def factscore_text(report: FactScoreReport) -> str:
    """Renders the F1 of the claims called factual by each judge, and the scores of texts."""
    parts = [f"FActScore: {report.claims} claims, each with the passages that people judged\n"]
    for label, title in (
        ("supported", "against people: a passage supports the claim"),
        ("factual", "against people: the claim is true in the world"),
    ):
        rows: list[Sequence[str]] = [("judge", *map(_spaced, _FACTUAL), "claims", "not judged")]
        for judge, each in report.judges.items():
            measures: Mapping[str, Measured] = getattr(each, label)
            cells = (_cell(measures.get(name)) for name in _FACTUAL)
            rows.append((judge, *cells, *_counts(measures.get("micro_f1"))))
        if label == "factual":
            rows += _published(report.published, _FACTUAL)
        parts.append(f"{title}\n{aligned_table(rows)}{_note(report.published) * (label == 'factual')}")
    lines: list[Sequence[str]] = [
        (
            "judge", "facts of a claim", "score of a text", "by people", "distance", "texts", "not judged",
            "all facts pooled", "facts",
        )
    ]  # fmt: skip
    lines += [
        (
            judge, *map(_cell, (each.facts, each.texts, each.people, each.distance)), *_counts(each.texts),
            _cell(each.pooled), str(each.pooled.n),
        )
        for judge, each in report.judges.items()
    ]  # fmt: skip
    return "\n".join([*parts, aligned_table(lines)])


def _published(published: PublishedFigures, names: Sequence[str]) -> list[Sequence[str]]:
    """Makes the rows of published figures, without counts."""
    return [
        (f"* {system}", *(shown_number(figures.get(name)) for name in names), "", "")
        for system, figures in published.systems.items()
    ]


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _systems(by: str, groups: Mapping[str, SystemScores], published: PublishedFigures | None) -> str:
    counts = ("claims", "not judged")
    rows: list[Sequence[str]] = [(by, *map(_spaced, _SYSTEM), *counts, "AutoAIS", *counts)]
    for name, each in groups.items():
        scores = (_cell(each.detection.get(measure)) for measure in _SYSTEM)
        rows.append(
            (
                name,
                *scores,
                *_counts(each.detection.get("f1")),
                _cell(each.autoais),
                str(each.claims),
                str(each.unjudged),
            )
        )
    for name, figures in published.systems.items() if published else ():
        scores = (shown_number(figures.get(measure)) for measure in _SYSTEM)
        claims = figures.get("claims")
        rows.append(
            (
                f"* {name}",
                *scores,
                "",
                "",
                shown_number(figures.get("autoais")),
                f"{claims:.0f}" if claims else "-",
                "",
            )
        )
    return aligned_table(rows) + (_note(published) if published else "")


def _note(published: PublishedFigures) -> str:
    return f"* as printed by {published.paper}; other rows: {published.differ}\n"


def _cell(measured: Measured | None) -> str:
    if measured is None or measured.value is None:
        return "-"
    interval = "" if measured.low is None else f" [{measured.low:.3f}, {measured.high:.3f}]"
    return f"{measured.value:.3f}{interval}"


def _counts(measured: Measured | None) -> tuple[str, str]:
    return ("0", "0") if measured is None else (str(measured.n), str(measured.unjudged))
