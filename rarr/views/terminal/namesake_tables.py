"""Renders reports about things that share a name as tables of text."""

from collections.abc import Mapping, Sequence

from rarr.evals.metrics import Measured
from rarr.evals.namesakes.benchmark import NamesReport
from rarr.evals.namesakes.edited_claims import EditingScores
from rarr.evals.namesakes.search_scores import SearchScores
from rarr.tools.text.plurals_and_articles import counted
from rarr.views.terminal.evaluation_tables import aligned_table, shown_interval, shown_number

TASK_NAMES: Mapping[str, str] = {"qa": "questions", "sf": "slots", "fc": "claims"}


def names_text(report: NamesReport, *, revised: bool = True) -> str:
    """Renders accuracy and confusion by system and task, the loss of tails by popularity, and the edits.

    `revised`: false claims were to be revised, so a lack of them is said.
    """
    parts = [
        f"{counted(report.names, 'name')} of {counted(report.entities, 'thing')},"
        f" {counted(report.queries, 'query')}\n"
    ]
    tasks = dict.fromkeys(task for by_task in report.search.values() for task in by_task)
    for task in tasks:
        by_system = {name: by_task[task] for name, by_task in report.search.items()}
        parts.append(f"{TASK_NAMES[task]}: the first document is right\n{_accuracy(by_system)}")
        parts.append(
            f"{TASK_NAMES[task]}: accuracy of heads minus tails, by gap in popularity\n{_gaps(by_system)}"
        )
    if report.editing:
        parts.append(_editing(report.editing))
    elif revised:
        parts.append("no false claim to revise: one needs the value of another thing for the same property\n")
    return "\n".join(parts)


def _accuracy(by_system: Mapping[str, SearchScores]) -> str:
    groups = ("all", "heads", "tails", "95% of tails")
    rows: list[Sequence[str]] = [
        ("system", *groups, "all of a name", "confused heads", "tails", "queries"),
    ]
    for name, scores in by_system.items():
        accuracy, confusion = scores.accuracy, scores.confusion
        rows.append(
            (
                name,
                *(_value(accuracy[group]) for group in ("all", "head", "tail")),
                shown_interval(accuracy["tail"]),
                _value(scores.all_correct),
                *(_value(confusion[group]) for group in ("head", "tail")),
                str(accuracy["all"].n),
            )
        )
    return aligned_table(rows)


def _editing(by_pages: Mapping[str, EditingScores]) -> str:
    head = ("changed", "corrected", "or rightly suggested", "from a namesake", "suggested so", "n")
    rows: list[Sequence[str]] = [("false claims", *head)]
    for name, scores in by_pages.items():
        shares = (
            scores.changed, scores.correct, scores.right, scores.from_namesake, scores.suggests_namesake
        )  # fmt: skip
        rows.append((name, *map(_value, shares), str(scores.changed.n)))
    return aligned_table(rows)


def _gaps(by_system: Mapping[str, SearchScores]) -> str:
    bins = dict.fromkeys(name for scores in by_system.values() for name in scores.by_gap)
    rows: list[Sequence[str]] = [("system", *bins)]
    for system, scores in by_system.items():
        rows.append((system, *(_value(scores.by_gap.get(name, Measured())) for name in bins)))
    return aligned_table(rows)


def _value(measured: Measured) -> str:
    return shown_number(measured.value)
