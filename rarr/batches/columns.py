"""Finds text, context and sources in the columns of a row, and makes and counts the columns of results."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from rarr.agent.batches import BatchResult, BatchRow
from rarr.batches.input_rows import InputRow
from rarr.batches.output_rows import ColumnType
from rarr.errors import InputError
from rarr.ledger.scores import f1_ap
from rarr.records import Record, Revision
from rarr.records.postprocessing import Postprocessed
from rarr.tools.text.wording import kind_of

LONGEST_TEXT = 1_000_000
"""The most characters of a text. Longer texts were never measured, and would keep a worker for hours."""
MEASURES = ("supported", "attribution", "preservation", "f1_ap")
"""The measures that may have a limit."""

_NAMED = 20  # columns that a message names
_OF_RESULT: Mapping[str, tuple[ColumnType, Callable[[Postprocessed], Any]]] = {
    "rarr_text": ("string", lambda result: result.text),
    "rarr_changed": ("bool", lambda result: result.changed),
    "rarr_outcome": ("string", lambda result: result.outcome),
    "rarr_notice": ("string", lambda result: result.notice),
}
_OF_RUN: Mapping[str, tuple[ColumnType, Callable[[Revision], Any]]] = {
    "rarr_statuses": ("strings", lambda run: [sentence.status for sentence in run.report.sentences]),
    "rarr_corrected": ("int", lambda run: sum(edit.accepted for edit in run.edits)),
    "rarr_suggested": ("int", lambda run: sum(edit.state == "suggested" for edit in run.edits)),
    "rarr_attribution_before": ("float", lambda run: run.scores.attribution_before),
    "rarr_attribution": ("float", lambda run: run.scores.attribution_after),
    "rarr_preservation": ("float", lambda run: run.scores.preservation),
    "rarr_f1_ap": ("float", lambda run: run.scores.f1_ap),
    "rarr_model_calls": ("int", lambda run: run.usage.model_calls),
    "rarr_cost": ("float", lambda run: run.usage.cost),
    "rarr_run_id": ("string", lambda run: run.run_id),
}
_KINDS = {name: kind for name, (kind, _) in [*_OF_RESULT.items(), *_OF_RUN.items()]}
RESULT_COLUMNS: Mapping[str, ColumnType] = _KINDS | {"rarr_error": "string", "rarr_revision": "json"}
"""The columns that a batch adds, and the types of their values. `rarr_revision` is there on request."""


class Columns(NamedTuple):
    """The names of the columns that a batch reads. One that is None is not read."""

    text: str = "text"
    context: str | None = None
    sources: str | None = None

    def require_in(self, names: Collection[str]) -> None:
        """Raises `InputError` if the columns of a file lack one of these, or have one of a result.

        A file without a row that can be read is not refused: each of its rows has a problem of its own.
        """
        for option, name in self._asdict().items():
            if names and name is not None and name not in names:
                listed = ", ".join(map(repr, [*names][:_NAMED]))
                raise InputError(f"there is no column {name!r}: give one of {listed} as {option}")
        if taken := next((name for name in names if name in RESULT_COLUMNS), None):
            raise InputError(f"the column {taken!r} is a result of rarr batch: rename it, or leave it out")

    def row_or_problem(self, given: InputRow) -> BatchRow | str:
        """Makes a row, or returns the reason why there is none."""
        if given.problem:
            return given.problem
        try:
            return self._row(given.columns, given.number)
        except InputError as error:
            return str(error)

    def _row(self, columns: Mapping[str, Any], number: int) -> BatchRow:
        """Makes a row of its columns. Raises `InputError` for wrong types, and for no or too much text."""
        if self.text not in columns:
            raise InputError(f"it has no column {self.text!r}: give a text")
        given = columns[self.text]
        if not isinstance(given, str) or not given.strip():
            what = "empty" if given is None or isinstance(given, str) else kind_of(given)
            raise InputError(f"its {self.text!r} is {what}: give a text")
        if len(given) > LONGEST_TEXT:
            told = f"its {self.text!r} has {len(given):,} characters"
            raise InputError(f"{told}: divide it into texts of at most {LONGEST_TEXT:,}")
        context = None if self.context is None else columns.get(self.context)
        if not isinstance(context, str | None):
            raise InputError(f"its {self.context!r} is {kind_of(context)}: give a text, or leave it empty")
        sources = None if self.sources is None else _sources(columns.get(self.sources), self.sources)
        return BatchRow(given, context if context and context.strip() else None, sources, str(number))


def _sources(given: object, name: str) -> list[Any] | None:
    """Reads the passages of a row: a list of texts and objects, or one text, or the JSON of a list."""
    if given is None or given == "":
        return None
    if isinstance(given, str):
        try:
            read = json.loads(given) if given.lstrip().startswith("[") else given
        except ValueError:
            read = given
        given = read if isinstance(read, list) else [given]
    if not isinstance(given, list):
        raise InputError(f"its {name!r} is {kind_of(given)}: give a list of texts, or of objects with a text")
    # Parquet gives all objects of a list the same keys, some of them without a value.
    filled = [
        {key: value for key, value in each.items() if value is not None} if isinstance(each, dict) else each
        for each in given
    ]
    return filled or None


def digest_of(row: BatchRow) -> bytes:
    """Makes a digest of all of a row that its result depends on."""
    parts = json.dumps([row.text, row.context, row.sources], default=str, ensure_ascii=False)
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def result_columns(*, full: bool) -> dict[str, ColumnType]:
    """Returns the columns that a batch adds, in their order. `full`: with the whole record of each run."""
    return {name: kind for name, kind in RESULT_COLUMNS.items() if full or name != "rarr_revision"}


def error_columns(error: str | None) -> dict[str, Any]:
    """Makes the columns of a row without a result."""
    return dict.fromkeys(RESULT_COLUMNS) | {"rarr_error": error}


def columns_of(done: BatchResult, *, full: bool) -> dict[str, Any]:
    """Makes the columns of a result. `full`: with the whole record of the run."""
    columns = error_columns(done.error or None)
    if done.result is not None:
        columns |= {name: of(done.result) for name, (_, of) in _OF_RESULT.items()} | {"rarr_statuses": []}
        if (run := done.result.revision) is not None:
            columns |= {name: of(run) for name, (_, of) in _OF_RUN.items()}
            columns["rarr_revision"] = run.model_dump(mode="json") if full else None
    return columns


class BatchCounts(Record):
    """The counts over the rows of an output file.

    `unchecked` counts rows that hold nothing to check, and `unconfirmed` others without an error that have a
    sentence that is not `supported`. `statuses` counts the sentences of all rows, also those with nothing to
    check. `left` counts rows without a result, because of the limit of the cost. `cost` is None if a price is
    not known. `attribution` and `preservation` are means over the rows that have both;
    F1_AP is their harmonic mean (Gao et al. 2023, section 5).
    """

    rows: int
    changed: int
    unconfirmed: int
    unchecked: int
    errors: int
    first_error: str
    left: int
    cost: float | None
    model_calls: int
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
        self.rows = 0
        self.cost: float | None = 0.0
        self.sums = Counter(changed=0, unconfirmed=0, unchecked=0, errors=0, model_calls=0)
        """The sums of the fields of `BatchCounts` that count rows and calls."""
        self._statuses: Counter[str] = Counter()
        self._first_error = ""
        self._scores: Counter[str] = Counter()
        self._scored = 0

    def add(self, columns: Mapping[str, Any], place: str = "") -> None:
        """Adds a row. `place` names it in `first_error`."""
        self.rows += 1
        error, statuses = columns["rarr_error"], columns["rarr_statuses"] or []
        if error:
            self._first_error = self._first_error or (f"{place}: {error}" if place else error)
        is_empty = columns["rarr_outcome"] == "nothing_to_check"
        is_open = any(status != "supported" for status in statuses)
        self.sums.update(
            errors=bool(error),
            changed=bool(columns["rarr_changed"]),
            unchecked=is_empty,
            unconfirmed=is_open and not error and not is_empty,
            model_calls=columns["rarr_model_calls"] or 0,
        )
        self._statuses.update(statuses)
        if columns["rarr_run_id"]:
            cost = columns["rarr_cost"]
            self.cost = None if cost is None or self.cost is None else self.cost + cost
        scores = {name: columns[f"rarr_{name}"] for name in ("attribution", "preservation")}
        if None not in scores.values():
            self._scored += 1
            self._scores.update(scores)

    def counts(self, left: int = 0) -> BatchCounts:
        """Makes the record of the counts."""
        scores = {name: total / self._scored for name, total in self._scores.items()}
        attribution, preservation = scores.get("attribution"), scores.get("preservation")
        score = None if attribution is None or preservation is None else f1_ap(attribution, preservation)
        return BatchCounts(
            rows=self.rows,
            first_error=self._first_error,
            left=left,
            cost=self.cost,
            statuses=dict(sorted(self._statuses.items())),
            attribution=attribution,
            preservation=preservation,
            f1_ap=score,
            **self.sums,
        )
