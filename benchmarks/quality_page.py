"""The page of `benchmarks.quality`: its findings and tables."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from benchmarks.report import cell, machine, table
from rarr.evals.measures import ROW_MEASURES
from rarr.evals.metrics import Paired, paired
from rarr.evals.report_building import report_of
from rarr.evals.report_records import EvalReport

SHOWN = (
    ("attribution_before", "attribution before"),
    ("attribution_after", "after"),
    ("preservation", "preservation"),
    ("f1_ap", "F1_AP"),
    ("good", "good"),
    ("bad", "bad"),
    ("unnecessary", "unnecessary"),
    ("huge", "huge"),
)
CORRECTED = (
    ("changed", "changed"),
    ("restored", "restored"),
    ("untouched_when_correct", "untouched"),
    ("word_precision", "words: precision"),
    ("word_recall", "words: recall"),
    ("sari", "SARI"),
)


class Set(NamedTuple):
    """A set's name, what it is, and the report of each system on it."""

    name: str
    about: str
    reports: dict[str, EvalReport]


def document(sets: Sequence[Set], judged: str, seconds: float, limit: int | None = None) -> str:
    """The whole page. With `limit`, only the first `limit` rows of each set were run."""
    parts = [
        "# People's corrections",
        f"Printed by `python -m benchmarks.quality` on {date.today()}. The command wrote the whole page."
        f" The data are not part of this project. Machine: {machine()}; {seconds:.0f} s.",
        "Each row brings the evidence that the people saw who judged or corrected it. So the page"
        " measures checking and editing, not the search of the web. Intervals are 95%, by bootstrap over"
        " rows, for shares by Wilson."
        + ("" if limit is None else f" **Of each set the first {limit} rows alone.**"),
        "**The rules judge attribution (`model: rules`), and they also decide which edits are made.** So"
        " attribution says how far the loop reaches its own aim, not how right it is. The second table of"
        " each set compares with people: `restored` are the wrong texts that became exactly the person's,"
        " `untouched` the right texts that stayed as they were; words are those taken out and put in,"
        " against the person's.",
        "EFEC and LaMDA need a language model:"
        " [their figures](real-models.md#minimal-edits-beside-efec-and-lamda).",
        "## What it shows",
        *_findings(sets),
        set_tables(pooled(sets)),
        *(set_tables(data_set) for data_set in sets),
        judged,
    ]
    return "\n\n".join(parts) + "\n"


def _findings(sets: Sequence[Set]) -> Iterator[str]:
    """The two claims that should hold over all sets, each with its test."""
    yield _claim(sets, "bad", "verify off", "bad edits (attribution falls by more than 0.1)", fewer=True)
    yield _why(pooled(sets).reports)
    yield _claim(sets, "attribution_after", "query = input", "attribution after revision", fewer=False)


def _claim(sets: Sequence[Set], measure: str, other: str, words: str, *, fewer: bool) -> str:
    result = _paired(sets, measure, other)
    beaten, difference = beats(result, fewer=fewer), result.difference
    if beaten is None:
        return f"- The default against `{other}` in {words}: could not be judged."
    interval = "" if difference.low is None else f" [{difference.low:+.4f}, {difference.high:+.4f}]"
    return (
        f"- The default {'beats' if beaten else 'does **not** beat'} `{other}` in {words}: default minus"
        f" `{other}` is {difference.value:+.4f}{interval} over {difference.n} rows"
        f" ({difference.unjudged} unjudged), p = {result.p:.4f} (paired permutation)."
    )


def _why(reports: Mapping[str, EvalReport]) -> str:
    """How much is changed with verification and without it, beside the changes of people."""
    shown = [
        f"{label} {cell(reports['default'].measures.get(name))} with it,"
        f" {cell(reports['verify off'].measures.get(name))} without"
        for name, label in (
            ("changed", "rows changed"),
            ("bad", "bad edits"),
            ("untouched_when_correct", "left alone where people changed nothing"),
            ("word_precision", "words changed that people changed"),
        )
    ]
    return (
        "- Verification stops edits that the agreement check lets through. An edit that it stops counts as"
        f" bad only where it lowers attribution by more than 0.1. {'; '.join(shown)}."
    )


def beats(result: Paired, *, fewer: bool) -> bool | None:
    """Is the default better at p < 0.05? The difference is default minus other; None if not judged."""
    value, p = result.difference.value, result.p
    if value is None or p is None:
        return None
    return p < 0.05 and (value < 0 if fewer else value > 0)


def _paired(sets: Sequence[Set], measure: str, other: str) -> Paired:
    value = ROW_MEASURES[measure].value
    pairs = [
        (value(other_row), value(default_row))
        for data_set in sets
        for other_row, default_row in zip(
            data_set.reports[other].rows, data_set.reports["default"].rows, strict=True
        )
    ]
    return paired([baseline for baseline, _ in pairs], [default for _, default in pairs])


def pooled(sets: Sequence[Set]) -> Set:
    """All rows of all sets as one; the large sets weigh most."""
    rows = {
        system: [row for data_set in sets for row in data_set.reports[system].rows]
        for system in sets[0].reports
    }
    reports = {system: report_of("all", {}, system_rows, ()) for system, system_rows in rows.items()}
    return Set("all", "every row of every set, so that the large sets weigh most", reports)


def set_tables(data_set: Set) -> str:
    """The two tables of a set, under its heading."""
    shown = [
        [system, *_cells(report, SHOWN), str(report.measures["f1_ap"].unjudged)]
        for system, report in data_set.reports.items()
    ]
    corrected = [[system, *_cells(report, CORRECTED)] for system, report in data_set.reports.items()]
    return "\n\n".join([
        f"## {data_set.name}: {data_set.about}",
        f"{len(data_set.reports['default'].rows)} rows with evidence.",
        table(["system", *(heading for _, heading in SHOWN), "unjudged"], shown),
        table(["system", *(heading for _, heading in CORRECTED)], corrected),
    ])  # fmt: skip


def _cells(report: EvalReport, columns: Sequence[tuple[str, str]]) -> list[str]:
    return [cell(report.measures.get(name)) for name, _ in columns]
