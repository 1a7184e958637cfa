"""Finds text, context and sources in the columns of a row, and makes the columns of its result."""

import hashlib
import json
from collections.abc import Container, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from rarr.agent.batches import BatchResult, BatchRow
from rarr.batches.column_types import ColumnType
from rarr.batches.input_rows import UNREAD, InputRow
from rarr.errors import InputError
from rarr.records.postprocessing import Postprocessed
from rarr.tools.text.plurals_and_articles import kind_of

PREFIX = "rarr_"
"""The start of the name of every column that a batch adds."""
LONGEST_TEXT = 1_000_000
"""The most characters of a text. Longer texts were never measured, and would keep a worker for hours."""

_NAMED = 20  # columns that a message names
_SHOWN = 60  # characters of an id in a message


class Columns(NamedTuple):
    """The names of the columns that a batch reads. One that is None is not read."""

    text: str = "text"
    context: str | None = None
    sources: str | None = None
    id: str | None = None

    def check(self, columns: Mapping[str, Any], where: str = "") -> None:
        """Raises `InputError` if a column is not there, or if one is that of a result.

        `where` says which rows have these columns.
        """
        for option in self.absent(columns):
            there = ", ".join(map(repr, islice(columns, _NAMED))) or "none"
            name = getattr(self, option)
            raise InputError(f"there is no column {name!r}{where}: give one of {there} as {option}")
        for name in taken_columns(columns):
            raise InputError(taken(name))

    def absent(self, columns: Container[str]) -> list[str]:
        """Returns the fields whose columns are not there."""
        return [field for field, name in self._asdict().items() if name is not None and name not in columns]

    def place(self, row: InputRow) -> str:
        """Names a row in a message: by its number, its line if that is another number, and its id."""
        details = [] if row.line in (None, row.number) else [f"line {row.line}"]
        if self.id is not None and row.columns.get(self.id) is not None:
            details.append(f"id {str(row.columns[self.id])[:_SHOWN]}")
        return f"row {row.number} ({', '.join(details)})" if details else f"row {row.number}"

    def row_or_problem(self, given: InputRow) -> BatchRow | str:
        """Makes a row, or returns the reason why there is none."""
        if given.problem:
            return given.problem
        try:
            return self.row(given.columns, given.number)
        except InputError as error:
            return str(error)

    def row(self, columns: Mapping[str, Any], number: int) -> BatchRow:
        """Makes a row of its columns. Raises `InputError` for wrong types, and for no or too much text."""
        if self.text not in columns:
            raise InputError(f"it has no column {self.text!r}: give a text")
        given = columns[self.text]
        if not isinstance(given, str) or not given.strip():
            what = "empty" if given is None or given == "" or isinstance(given, str) else kind_of(given)
            raise InputError(f"its {self.text!r} is {what}: give a text")
        if len(given) > LONGEST_TEXT:
            raise InputError(
                f"its {self.text!r} has {len(given):,} characters: divide it into texts of at most"
                f" {LONGEST_TEXT:,}"
            )
        context = None if self.context is None else columns.get(self.context)
        if not isinstance(context, str | None):
            raise InputError(f"its {self.context!r} is {kind_of(context)}: give a text, or leave it empty")
        sources = None if self.sources is None else _sources(columns.get(self.sources), self.sources)
        name = None if self.id is None else columns.get(self.id)
        question = context if context and context.strip() else None
        return BatchRow(given, question, sources, str(number if name is None else name))


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
    return [_filled(each) if isinstance(each, dict) else each for each in given] or None


def _filled(source: dict[str, Any]) -> dict[str, Any]:
    """Leaves out keys without a value: Parquet gives all objects of a list the same keys."""
    return {key: value for key, value in source.items() if value is not None}


def digest_of(row: BatchRow) -> bytes:
    """Makes a digest of all of a row that its result depends on."""
    parts = json.dumps([row.text, row.context, row.sources], default=str, ensure_ascii=False)
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()


RESULT_COLUMNS: Mapping[str, ColumnType] = {
    "rarr_text": "string",
    "rarr_changed": "bool",
    "rarr_outcome": "string",
    "rarr_notice": "string",
    "rarr_statuses": "strings",
    "rarr_corrected": "int",
    "rarr_suggested": "int",
    "rarr_attribution_before": "float",
    "rarr_attribution": "float",
    "rarr_preservation": "float",
    "rarr_f1_ap": "float",
    "rarr_model_calls": "int",
    "rarr_saved_calls": "int",
    "rarr_saved_searches": "int",
    "rarr_cost": "float",
    "rarr_run_id": "string",
    "rarr_error": "string",
    "rarr_revision": "json",
}
"""The columns that a batch adds, and the types of their values. `rarr_revision` is there on request."""


def taken_columns(columns: Iterable[str]) -> list[str]:
    """Returns the columns that have the names of those that a batch adds."""
    return [name for name in columns if name in RESULT_COLUMNS or name == UNREAD]


def taken(name: str) -> str:
    """Says that a column has the name of one that a batch adds."""
    return f"the column {name!r} is a result of rarr batch already: rename it, or leave it out"


def result_columns(*, full: bool) -> dict[str, ColumnType]:
    """Returns the columns that a batch adds, in their order. `full`: with the whole record of each run."""
    return {name: kind for name, kind in RESULT_COLUMNS.items() if full or name != "rarr_revision"}


def columns_of(result: BatchResult, *, full: bool) -> dict[str, Any]:
    """Makes the columns of a result. `full`: with the whole record of the run."""
    if result.result is None:
        return error_columns(result.error)
    return _result_columns(result.result, full=full) | {"rarr_error": result.error or None}


def error_columns(error: str) -> dict[str, Any]:
    """Makes the columns of a row without a result."""
    return dict.fromkeys(RESULT_COLUMNS) | {"rarr_error": error}


def _result_columns(result: Postprocessed, *, full: bool) -> dict[str, Any]:
    columns: dict[str, Any] = dict.fromkeys(RESULT_COLUMNS)
    columns |= {
        "rarr_text": result.text,
        "rarr_changed": result.changed,
        "rarr_outcome": result.outcome,
        "rarr_notice": result.notice,
        "rarr_statuses": [],
    }
    if (revision := result.revision) is not None:
        columns |= {
            "rarr_statuses": [sentence.status for sentence in revision.report.sentences],
            "rarr_corrected": sum(edit.accepted for edit in revision.edits),
            "rarr_suggested": sum(edit.state == "suggested" for edit in revision.edits),
            "rarr_attribution_before": revision.scores.attribution_before,
            "rarr_attribution": revision.scores.attribution_after,
            "rarr_preservation": revision.scores.preservation,
            "rarr_f1_ap": revision.scores.f1_ap,
            "rarr_model_calls": revision.usage.model_calls,
            "rarr_saved_calls": revision.usage.saved_calls,
            "rarr_saved_searches": revision.usage.saved_searches,
            "rarr_cost": revision.usage.cost,
            "rarr_run_id": revision.run_id,
            "rarr_revision": revision.model_dump(mode="json") if full else None,
        }
    return columns
