"""Renders the report of the benchmark of conflicting knowledge as a table of text."""

from collections.abc import Sequence

from rarr.evals.conflicts.conflict_report import ConflictReport
from rarr.tools.text.plurals_and_articles import counted
from rarr.views.terminal.evaluation_tables import aligned_table, shown_interval, shown_number


def conflicts_text(report: ConflictReport) -> str:
    """Renders the counts of each group, the memorisation ratio with its interval, and what was left out."""
    rows: list[Sequence[str]] = [
        (
            "conflicts",
            "judged",
            "wrong before",
            "memory",
            "evidence",
            "other",
            "ratio",
            "95% interval",
            "knew",
        )
    ]
    for name, each in report.counts.items():
        rows.append(
            (
                name,
                *map(str, (each.cases, each.wrong, each.original, each.substitute, each.other)),
                shown_number(each.ratio.value),
                shown_interval(each.ratio),
                "-" if each.remembered is None else str(each.remembered),
            )
        )
    head = f"Conflicting knowledge, as {report.role}: {counted(report.conflicts, 'conflict')} of"
    left_out = "".join(f"  {count}: {reason}\n" for reason, count in sorted(report.left_out.items()))
    unreadable = "".join(f"line {each.line}: {each.reason}\n" for each in report.unreadable[:5])
    return (
        f"{head} {counted(report.rows, 'question')}\n\n{aligned_table(rows)}\n"
        "Wrong before: wrong with the unchanged passage, so left out. Ratio: memory of memory and evidence.\n"
        "Of an alias, both are right, and other is the error. Knew: right without a passage (reader).\n"
        + (f"\nleft out\n{left_out}" if left_out else "")
        + (f"\nunreadable\n{unreadable}" if unreadable else "")
    )
