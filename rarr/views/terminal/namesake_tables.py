"""Renders reports about things that share a name as tables of text."""

from collections.abc import Mapping, Sequence

from rarr.evals.metrics import Measured
from rarr.evals.namesakes.benchmark import NamesReport
from rarr.evals.namesakes.corpus_check import CheckedName, NamesCheck
from rarr.evals.namesakes.edited_claims import EditingScores
from rarr.evals.namesakes.search_scores import SearchScores
from rarr.tools.text.plurals_and_articles import counted
from rarr.views.terminal.evaluation_tables import aligned_table, shown_interval, shown_number
from rarr.views.terminal.revision import one_line

TASK_NAMES: Mapping[str, str] = {"qa": "questions", "sf": "slots", "fc": "claims"}
_NAME = 60  # characters of a name or title that are shown
_QUERY = 100  # characters of a query that are shown
_LISTED = 20  # names that are shown
_DOCUMENTS = 5  # documents of a name that are shown
_QUERIES = 3  # queries of a name that are shown
_READ = """They read a few wordings, such as "directed by Ana Holm", "born in 1931", "founded in 1312" and
"212 kilometres long"."""
_CURE = """
To tell them apart, give pages titles with a qualifier, as in Apollo (film), and name the kind in texts: the
film Apollo. --reranker embedded reads passages before it orders them."""


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


def names_check_text(check: NamesCheck) -> str:
    """Renders the names that documents share, and how often the search takes another thing's document."""
    if not check.names:
        return f"no name of several things in {counted(check.documents, 'document')}\n"
    mixed = sum(name.mixed_up for name in check.names)
    asked = sum(name.queries for name in check.names)
    found = f"{counted(len(check.names), 'name')} of several things in {counted(check.documents, 'document')}"
    if asked:
        found += f"; the search mixed up {mixed} of {counted(asked, 'query')} about them"
    lines = [f"{found}\n", *map(_checked_name, check.names[:_LISTED])]
    if len(check.names) > _LISTED:
        lines.append(f"and {len(check.names) - _LISTED} more: see --json")
    if unasked := sum(not name.queries for name in check.names):
        lines.append(
            f"\n{counted(unasked, 'name')} not asked about: in the openings, the rules read no property of"
            f" one thing alone.\n{_READ}"
        )
    return "\n".join([*lines, *([_CURE] if mixed else []), ""])


def _checked_name(name: CheckedName) -> str:
    mixed = f": mixed up {name.mixed_up} of {counted(name.queries, 'query')}" if name.queries else ""
    shown = [f"  {one_line(each.title, _NAME)} - {one_line(each.name, _NAME)}" for each in name.documents]
    more = [f"  and {len(shown) - _DOCUMENTS} more"] * (len(shown) > _DOCUMENTS)
    asked = [
        f"  asked {one_line(each.query, _QUERY)!r}: {one_line(each.above[0], _NAME)} stands above"
        f" {one_line(each.right[0], _NAME)}"
        for each in name.mix_ups[:_QUERIES]
    ]
    return "\n".join([one_line(name.name, _NAME) + mixed, *shown[:_DOCUMENTS], *more, *asked])


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
