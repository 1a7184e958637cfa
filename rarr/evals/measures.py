"""Declares the measures of one row, and computes the measures over all rows with their intervals."""

from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NamedTuple, get_args

from rarr.evals.kept_answers import (
    answer_after,
    answer_before,
    answers_now,
    may_have_answered,
    may_have_lacked_answer,
)
from rarr.evals.metrics import (
    EDIT_KINDS,
    Correction,
    EditKind,
    Measured,
    Scored,
    bootstrap,
    in_all,
    is_kind,
    mean,
    measured_f1_ap,
    restored,
    rouge_l,
    sari,
    share,
    word_edits,
)
from rarr.evals.report_records import ScoredRow
from rarr.records import Status

STATUSES: tuple[Status, ...] = get_args(Status)


class Measure(NamedTuple):
    """A measure of one row. `of` computes it, and returns None if the row could not be judged.

    Rows for which `applies` is false are not counted. `is_share`: the values are true or false, and their
    share is reported. `asked_for`: it is reported only if some row has a value, since it needs a model.
    """

    of: Callable[[ScoredRow], float | None]
    applies: Callable[[ScoredRow], bool] = lambda row: True
    is_share: bool = False
    asked_for: bool = False

    def value(self, row: ScoredRow) -> float | None:
        """Computes the value for a row to which the measure applies; None for a row with an error."""
        return None if row.error else self.of(row)


def _revised_by_person(row: ScoredRow) -> bool:
    return row.reference is not None


def _was_wrong(row: ScoredRow) -> bool:
    return row.reference is not None and not restored(row.original, row.reference)


def _was_correct(row: ScoredRow) -> bool:
    return row.reference is not None and restored(row.original, row.reference)


def _kind(kind: EditKind) -> Measure:
    def judged(row: ScoredRow) -> bool | None:
        scores = row.scores
        return is_kind(kind, scores.attribution_before, scores.attribution_after, scores.preservation)

    return Measure(judged, is_share=True)


ROW_MEASURES: dict[str, Measure] = {
    "attribution_before": Measure(lambda row: row.scores.attribution_before),
    "attribution_after": Measure(lambda row: row.scores.attribution_after),
    "preservation": Measure(lambda row: row.scores.preservation),
    "changed": Measure(lambda row: row.text != row.original, is_share=True),
    **{kind: _kind(kind) for kind in EDIT_KINDS},
    "restored": Measure(lambda row: restored(row.text, row.reference or ""), _was_wrong, is_share=True),
    "untouched_when_correct": Measure(lambda row: row.text == row.original, _was_correct, is_share=True),
    "sari": Measure(lambda row: sari(row.original, row.text, [row.reference or ""]), _revised_by_person),
    "answer_before": Measure(answer_before, lambda row: row.has_answers),
    "answer_after": Measure(answer_after, lambda row: row.has_answers),
    "answer_kept": Measure(answers_now, may_have_answered, is_share=True),
    "answer_gained": Measure(answers_now, may_have_lacked_answer, is_share=True),
    "rouge_l": Measure(lambda row: rouge_l(row.text, row.reference or ""), _revised_by_person),
}
"""The measures by name.

Those of answers need right answers, and the others from `restored` on need a revision by a person. `rouge_l`
also needs the extra `eval`.
"""


def set_f1_pair(row: ScoredRow) -> Scored | None:
    """Returns attribution and preservation of a row for F1_AP of all rows; None if not judged."""
    attributed, kept = row.scores.attribution_after, row.scores.preservation
    return None if row.error or attributed is None or kept is None else (attributed, kept)


POOLED = ("word_precision", "word_recall")
"""Measures over all rows at once, in which each word has the same weight."""

NAMES: tuple[str, ...] = (
    *ROW_MEASURES,
    "f1_ap",
    *POOLED,
    *STATUSES,
)
"""All measures of an evaluation."""


def available() -> dict[str, Measure]:
    """Returns the measures of rows by name, without `rouge_l` if its library is not installed."""
    missing = set() if find_spec("rouge_score") else {"rouge_l"}
    return {name: measure for name, measure in ROW_MEASURES.items() if name not in missing}


def measured(rows: Sequence[ScoredRow]) -> dict[str, Measured]:
    """Computes every measure that applies to some row, by name, with its 95% interval over rows.

    F1_AP is that of the averages. The shares of statuses count sentences, those of words count words; `n`
    counts rows.
    """
    results = {}
    for name, measure in available().items():
        values = [measure.value(row) for row in rows if measure.applies(row)]
        missing = measure.asked_for and all(value is None for value in values)
        if values and not missing:
            results[name] = _share(values) if measure.is_share else mean(values)
        if name == "preservation":
            results |= set_f1(rows)
    results |= _statuses(rows) | _words([row for row in rows if _revised_by_person(row)])
    return results


def set_f1(rows: Sequence[ScoredRow]) -> dict[str, Measured]:
    """Computes F1_AP of the averages."""
    pairs = [set_f1_pair(row) for row in rows]
    return {"f1_ap": measured_f1_ap(pairs)} if pairs else {}


def _share(values: Sequence[float | None]) -> Measured:
    return share([None if value is None else bool(value) for value in values])


def _statuses(rows: Sequence[ScoredRow]) -> dict[str, Measured]:
    """Computes the share of sentences with each status. Rows without a sentence are left out."""
    counts = [Counter[str](row.statuses) for row in rows if row.statuses]
    return _pooled_shares(counts, STATUSES, unjudged=sum(bool(row.error) for row in rows))


def _pooled_shares(
    counts: Sequence[Counter[str]], names: Sequence[str], *, unjudged: int
) -> dict[str, Measured]:
    """Computes for each name its share of all counted items. Each item has the same weight."""

    def of(name: str) -> Callable[[Sequence[Counter[str]]], float | None]:
        return lambda drawn: sum(count[name] for count in drawn) / sum(count.total() for count in drawn)

    return {name: bootstrap(counts, of(name), unjudged=unjudged) for name in names}


def _words(rows: Sequence[ScoredRow]) -> dict[str, Measured]:
    if not rows:
        return {}
    edits = [
        word_edits(Correction(row.original, row.text, row.reference or "")) for row in rows if not row.error
    ]
    unjudged = len(rows) - len(edits)
    return {
        "word_precision": bootstrap(edits, lambda drawn: in_all(drawn).precision, unjudged=unjudged),
        "word_recall": bootstrap(edits, lambda drawn: in_all(drawn).recall, unjudged=unjudged),
    }
