"""Counts what a batch has done: rows, changes, statuses, errors, cost, and what was saved."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from rarr.ledger.scores import f1_ap
from rarr.records import Record

MEASURES = ("supported", "attribution", "preservation", "f1_ap")
"""The measures that may have a limit."""


Limit = Literal["max_cost", "deadline"]
"""What may end a run before its rows do."""


class BatchCounts(Record):
    """The counts over the rows of an output file.

    `unchecked` counts rows that hold nothing to check, and `unconfirmed` others without an error that have a
    sentence that is not `supported`. `statuses` counts the sentences of all rows, also those with nothing to
    check. `left` counts rows without a result, because of the limit `ended_by` if there was one. `cost` is
    None if a price is not known. `saved_calls` counts the answers of language models that were kept, and not
    asked for again, and `saved_searches` the searches that a process had made before. `attribution` and
    `preservation` are means over the rows that have both; F1_AP is their harmonic mean (Gao et al. 2023,
    section 5).
    """

    rows: int
    changed: int
    unconfirmed: int
    unchecked: int
    errors: int
    first_error: str
    left: int
    ended_by: Limit | None
    cost: float | None
    model_calls: int
    saved_calls: int
    saved_searches: int
    statuses: Mapping[str, int]
    attribution: float | None
    preservation: float | None
    f1_ap: float | None

    @property
    def supported(self) -> float | None:
        """The share of sentences that are supported; None without a sentence."""
        total = sum(self.statuses.values())
        return self.statuses.get("supported", 0) / total if total else None


class Counting:
    """Adds up the result columns of rows."""

    def __init__(self) -> None:
        self.changed = self.unconfirmed = self.unchecked = self.errors = self.rows = self.calls = 0
        self.saved = self.saved_searches = 0
        self.cost: float | None = 0.0
        self._first_error = ""
        self._statuses: Counter[str] = Counter()
        self._attribution, self._preservation, self._scored = 0.0, 0.0, 0

    def add(self, columns: Mapping[str, Any], place: str = "") -> None:
        """Adds a row. `place` names it in `first_error`."""
        self.rows += 1
        if columns["rarr_error"]:
            self.errors += 1
            named = f"{place}: {columns['rarr_error']}" if place else columns["rarr_error"]
            self._first_error = self._first_error or named
        self.changed += bool(columns["rarr_changed"])
        statuses = columns["rarr_statuses"] or []
        if columns["rarr_outcome"] == "nothing_to_check":
            self.unchecked += 1
        elif not columns["rarr_error"]:
            self.unconfirmed += any(status != "supported" for status in statuses)
        self._statuses.update(statuses)
        self.calls += columns["rarr_model_calls"] or 0
        self.saved += columns["rarr_saved_calls"] or 0
        self.saved_searches += columns["rarr_saved_searches"] or 0
        if columns["rarr_run_id"]:
            cost = columns["rarr_cost"]
            self.cost = None if cost is None or self.cost is None else self.cost + cost
        attribution, preservation = columns["rarr_attribution"], columns["rarr_preservation"]
        if attribution is not None and preservation is not None:
            self._scored += 1
            self._attribution += attribution
            self._preservation += preservation

    def counts(self, left: int, ended_by: Limit | None = None) -> BatchCounts:
        """Makes the record of the counts."""
        attribution = self._attribution / self._scored if self._scored else None
        preservation = self._preservation / self._scored if self._scored else None
        return BatchCounts(
            rows=self.rows,
            changed=self.changed,
            unconfirmed=self.unconfirmed,
            unchecked=self.unchecked,
            errors=self.errors,
            first_error=self._first_error,
            left=left,
            ended_by=ended_by if left else None,
            cost=self.cost,
            model_calls=self.calls,
            saved_calls=self.saved,
            saved_searches=self.saved_searches,
            statuses=dict(sorted(self._statuses.items())),
            attribution=attribution,
            preservation=preservation,
            f1_ap=None if attribution is None or preservation is None else f1_ap(attribution, preservation),
        )
