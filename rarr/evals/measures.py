"""Declares the report of an evaluation: its rows, the measures of a row and of all rows, and limits."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import NamedTuple, get_args

from pydantic import Field

from rarr.errors import InputError
from rarr.evals.metrics.statistics import Measured, bootstrap_each, mean, measured_f1_ap, share
from rarr.evals.metrics.texts import EDIT_KINDS, EditKind, is_kind, restored, rouge_l, sari
from rarr.evals.rows import Unreadable
from rarr.records import Record, Scores, Status

STATUSES: tuple[Status, ...] = get_args(Status)
_NOISE = 1e-9  # 0.1 + 0.2 is not under 0.3


class ScoredRow(Record):
    """One text of an evaluation. `reference` is a person's revision, if the data have one.

    `kinds` are the kinds of edit of the whole revision (PURR). `seconds` is wall time. With an `error`
    nothing was revised, or nothing of the text could be checked: `text` is the original, without scores.
    """

    id: str
    context: str | None = None
    original: str
    text: str
    reference: str | None = None
    scores: Scores = Scores()
    kinds: tuple[EditKind, ...] = ()
    statuses: tuple[Status, ...] = ()
    edits: int = 0
    refused_edits: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    error: str = ""


class EvalReport(Record):
    """The report of an evaluation: `measures` by name, such as `f1_ap`, and all rows.

    `settings` are those that differ from the defaults.
    """

    data: str
    settings: dict[str, str] = Field(default_factory=dict)
    measures: dict[str, Measured] = Field(default_factory=dict)
    rows: tuple[ScoredRow, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


class Measure(NamedTuple):
    """A measure of one row. `of` computes it, and returns None if the row could not be judged.

    Rows for which `applies` is false are not counted. `is_share`: the values are true or false, and their
    share is reported.
    """

    of: Callable[[ScoredRow], float | None]
    applies: Callable[[ScoredRow], bool] = lambda row: True
    is_share: bool = False

    def over(self, rows: Sequence[ScoredRow]) -> Measured | None:
        """Measures the rows to which it applies, None without any. A row with an error is not judged."""
        values = [None if row.error else self.of(row) for row in rows if self.applies(row)]
        if not values:
            return None
        hits = [None if value is None else bool(value) for value in values]
        return share(hits) if self.is_share else mean(values)


def _kind(kind: EditKind) -> Measure:
    def judged(row: ScoredRow) -> bool | None:
        scores = row.scores
        return is_kind(kind, scores.attribution_before, scores.attribution_after, scores.preservation)

    return Measure(judged, is_share=True)


def _revised_by_person(row: ScoredRow) -> bool:
    return row.reference is not None


def _was_correct(row: ScoredRow) -> bool:
    return row.reference is not None and restored(row.original, row.reference)


def _was_wrong(row: ScoredRow) -> bool:
    return row.reference is not None and not restored(row.original, row.reference)


ROW_MEASURES: dict[str, Measure] = {
    "attribution_before": Measure(lambda row: row.scores.attribution_before),
    "attribution_after": Measure(lambda row: row.scores.attribution_after),
    "preservation": Measure(lambda row: row.scores.preservation),
    "changed": Measure(lambda row: row.text != row.original, is_share=True),
    **{kind: _kind(kind) for kind in EDIT_KINDS},
    "restored": Measure(lambda row: restored(row.text, row.reference or ""), _was_wrong, is_share=True),
    "untouched_when_correct": Measure(lambda row: row.text == row.original, _was_correct, is_share=True),
    "sari": Measure(lambda row: sari(row.original, row.text, [row.reference or ""]), _revised_by_person),
    "rouge_l": Measure(lambda row: rouge_l(row.text, row.reference or ""), _revised_by_person),
}
"""The measures by name. Those from `restored` on need a person's revision, and `rouge_l` the extra `eval`."""
NAMES: tuple[str, ...] = (*ROW_MEASURES, "f1_ap", *STATUSES)
"""All measures of an evaluation."""


def measured(rows: Sequence[ScoredRow]) -> dict[str, Measured]:
    """Computes every measure that applies to some row, by name, with its 95% interval over rows.

    F1_AP is that of the averages. The shares of statuses count sentences; `n` counts rows. `rouge_l` is left
    out if its library is not installed.
    """
    results = {}
    for name, measure in ROW_MEASURES.items():
        if not _is_missing(name) and (value := measure.over(rows)) is not None:
            results[name] = value
        if name == "preservation" and rows:
            results["f1_ap"] = measured_f1_ap([_attribution_and_preservation(row) for row in rows])
    return results | _statuses(rows)


def _is_missing(name: str) -> bool:
    return name == "rouge_l" and not find_spec("rouge_score")


def _attribution_and_preservation(row: ScoredRow) -> tuple[float, float] | None:
    attributed, kept = row.scores.attribution_after, row.scores.preservation
    return None if row.error or attributed is None or kept is None else (attributed, kept)


def _statuses(rows: Sequence[ScoredRow]) -> dict[str, Measured]:
    """Computes the share of sentences with each status. Rows without a sentence are left out."""
    counts = [Counter[str](row.statuses) for row in rows if row.statuses]

    def shares(drawn: Sequence[Counter[str]]) -> dict[str, float | None]:
        total = sum(count.total() for count in drawn)
        return {name: sum(count[name] for count in drawn) / total for name in STATUSES}

    unjudged = sum(bool(row.error) for row in rows)
    return dict.fromkeys(STATUSES, Measured(unjudged=unjudged)) | bootstrap_each(
        counts, shares, unjudged=unjudged
    )


def limits_of(given: Sequence[str], names: Sequence[str] = NAMES) -> dict[str, float]:
    """Parses limits given as `measure=number`, from 0 to 1, for the measures `names`.

    Raises `InputError` for an unknown measure, a measure without its package, two limits, or a wrong number.
    """
    limits = dict[str, float]()
    for argument in given:
        name, _, number = (part.strip() for part in argument.partition("="))
        if name not in names:
            raise InputError(f"unknown measure {name!r} in {argument!r}: the measures are {', '.join(names)}")
        if _is_missing(name):
            raise InputError(f'{name} needs a package: pip install "rarr[eval]"')
        if name in limits:
            raise InputError(f"{name} has two limits: give one")
        try:
            limits[name] = float(number)
        except ValueError:
            limits[name] = math.nan
        if not 0 <= limits[name] <= 1:
            raise InputError(f"{argument!r} has no limit from 0 to 1: give one, such as f1_ap=0.6")
    return limits


def under(report: EvalReport, limits: Mapping[str, float]) -> list[str]:
    """Writes a phrase for each measure that is under its limit, or may be; [] if all limits hold.

    A measure may be under its limit if no row was judged, or if rows have an error and some rows were not
    judged.
    """
    errors = sum(bool(row.error) for row in report.rows)
    phrases = []
    for name, limit in limits.items():
        found = report.measures.get(name, Measured())
        if found.value is None:
            phrases.append(f"{name} is not judged, under its limit {limit:g}")
        elif found.value < limit - _NOISE:
            phrases.append(f"{name} is {found.value:.6g}, under its limit {limit:g}")
        elif errors and found.unjudged:
            why = f"it is not judged for rows with an error ({errors})"
            phrases.append(f"{name} may be under its limit {limit:g}: {why}")
    return phrases
