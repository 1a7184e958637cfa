"""Makes, stores and counts the results of rows. A killed process loses no stored result.

The key of a result is the digest (a hash) of the text, context and sources of a row. So a later run finds the
result of a row that has moved in the file. Rows with the same text, context and sources share one result.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from rarr.batches.rows import ColumnType, InputRow, json_text
from rarr.errors import InputError
from rarr.ledger.scores import f1_ap
from rarr.records import NOT_JUDGED
from rarr.records.postprocessing import Postprocessed
from rarr.tools.storage.files import LineAppender, repaired_lines
from rarr.tools.text.wording import kind_of

LONGEST_TEXT = 1_000_000
"""The most characters of a text. A longer text would keep a worker process busy for hours."""
MEASURES = ("supported", "attribution", "preservation", "f1_ap")
"""The measures of `BatchCounts` for which --fail-under may set a limit."""
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
    "rarr_cost": "float",
    "rarr_run_id": "string",
    "rarr_error": "string",
    "rarr_revision": "json",
}
"""The columns that a batch adds, with the types of their values. `rarr_revision` is added only by --full."""
_MOST_NAMED_COLUMNS = 20  # columns that a message names


class TextRow(NamedTuple):
    """A row of a batch: a text, its question (`context`), and passages (`sources`) to search."""

    text: str
    context: str | None
    sources: tuple[Any, ...]

    @property
    def digest(self) -> bytes:
        """The digest of the text, context and sources. It is the key of the result."""
        parts = json.dumps([self.text, self.context, self.sources], default=str, ensure_ascii=False)
        return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Columns(NamedTuple):
    """The names of the columns that a batch reads. A column whose name is None is not read."""

    text: str = "text"
    context: str | None = None
    sources: str | None = None

    def require_columns(self, names: Collection[str]) -> None:
        """Raises `InputError` if a needed column is not in `names`, or if `names` has a result column."""
        for option, name in self._asdict().items():
            if names and name is not None and name not in names:
                listed = ", ".join(map(repr, [*names][:_MOST_NAMED_COLUMNS]))
                raise InputError(f"there is no column {name!r}: give one of {listed} as {option}")
        if taken := next((name for name in names if name in RESULT_COLUMNS), None):
            raise InputError(f"the column {taken!r} is a result of rarr batch: rename it, or leave it out")

    def row_or_problem(self, given: InputRow) -> TextRow | str:
        """Makes a `TextRow` from the row of a file, or returns the reason why that is not possible."""
        read = {key: given.columns.get(name) for key, name in self._asdict().items() if name is not None}
        text, context, sources = read["text"], read.get("context"), read.get("sources") or []
        if isinstance(sources, str):
            sources = _source_list(sources)
        if given.problem:
            return given.problem
        if self.text not in given.columns:
            return f"it has no {self.text!r}: give a text"
        if not isinstance(text, str) or not text.strip():
            what = "empty" if text is None or isinstance(text, str) else kind_of(text)
            return f"its {self.text!r} is {what}: give a text"
        if len(text) > LONGEST_TEXT:
            return f"its {self.text!r} has more than {LONGEST_TEXT:,} characters: divide it"
        if not isinstance(context, str | None):
            return f"its {self.context!r} is {kind_of(context)}: give a text, or leave it empty"
        if not isinstance(sources, list):
            what = f"its {self.sources!r} is {kind_of(sources)}"
            return f"{what}: give a list of texts, or objects with a text"
        return TextRow(text, context if context and context.strip() else None, tuple(sources))


def _source_list(sources: str) -> list[Any]:
    with suppress(ValueError, RecursionError):
        if isinstance(read := json.loads(sources), list):
            return read
    return [sources]


def result_columns(result: Postprocessed | str, *, full: bool = False) -> dict[str, Any]:
    """Makes the result columns of a row. A text as `result` is an error message. `full` adds the revision."""
    columns: dict[str, Any] = dict.fromkeys(RESULT_COLUMNS)
    if isinstance(result, str):
        return columns | {"rarr_error": result}
    columns |= {f"rarr_{name}": getattr(result, name) for name in ("text", "changed", "outcome", "notice")}
    is_undone = result.outcome in ("failed", "deadline")
    columns |= {"rarr_statuses": [], "rarr_error": result.notice if is_undone else None}
    if (run := result.revision) is None:
        return columns
    return columns | {
        "rarr_statuses": [sentence.status for sentence in run.report.sentences],
        "rarr_corrected": sum(edit.accepted for edit in run.edits),
        "rarr_suggested": sum(edit.state == "suggested" for edit in run.edits),
        "rarr_attribution_before": run.scores.attribution_before,
        "rarr_attribution": run.scores.attribution_after,
        "rarr_preservation": run.scores.preservation,
        "rarr_f1_ap": run.scores.f1_ap,
        "rarr_model_calls": run.usage.model_calls,
        "rarr_cost": run.usage.cost,
        "rarr_run_id": run.run_id,
        "rarr_revision": run.model_dump(mode="json") if full else None,
    }


class BatchCounts(BaseModel):
    """Counts over the rows of a batch. Rows with the same text count separately, each with its cost.

    `unchecked`: rows with nothing to check. `errors`: rows with an error. `unconfirmed`: the other rows that
    have a sentence that is not `supported`. `failed`: rows with an error of a search or a model.
    `left`: rows without a result, because the cost limit or an interrupt came first.
    `statuses`: the number of sentences with each status. `unread`: sentences that a failure left unjudged.
    `cost`: None if a price is unknown. `attribution`, `preservation`: means, over rows that have both scores.
    `f1_ap`: the harmonic mean of these two means (Gao et al. 2023, section 5).
    """

    rows: int = 0
    changed: int = 0
    unconfirmed: int = 0
    unchecked: int = 0
    errors: int = 0
    failed: int = 0
    first_error: str = ""
    left: int = 0
    cost: float | None = 0.0
    model_calls: int = 0
    statuses: dict[str, int] = {}
    unread: int = 0
    attribution: float | None = None
    preservation: float | None = None
    f1_ap: float | None = None
    _scored: int = 0

    @property
    def supported(self) -> float | None:
        """The share of supported sentences in the judged sentences, 0 to 1; None if no sentence is judged."""
        judged = sum(count for status, count in self.statuses.items() if status not in NOT_JUDGED)
        return self.statuses.get("supported", 0) / judged if judged else None

    def add_row(self, columns: Mapping[str, Any], place: str = "") -> None:
        """Adds the result columns of one row to the counts. `place` names the row in `first_error`."""
        error, statuses = columns["rarr_error"], columns["rarr_statuses"] or []
        is_empty = columns["rarr_outcome"] == "nothing_to_check"
        is_open = any(status != "supported" for status in statuses)
        self.rows += 1
        self.errors += bool(error)
        self.failed += columns["rarr_outcome"] == "failed"
        self.changed += bool(columns["rarr_changed"])
        self.unchecked += is_empty
        self.unconfirmed += is_open and not error and not is_empty
        self.model_calls += columns["rarr_model_calls"] or 0
        self.first_error = self.first_error or (f"{place}: {error}" if error else "")
        for status in statuses:
            self.statuses[status] = self.statuses.get(status, 0) + 1
            self.unread += status in NOT_JUDGED and columns["rarr_outcome"] in ("partial", "failed")
        if columns["rarr_run_id"]:
            cost = columns["rarr_cost"]
            self.cost = None if cost is None or self.cost is None else self.cost + cost
        attribution, preservation = columns["rarr_attribution"], columns["rarr_preservation"]
        if attribution is not None and preservation is not None:
            self._scored += 1
            known, kept = self.attribution or 0.0, self.preservation or 0.0
            self.attribution = known + (attribution - known) / self._scored
            self.preservation = kept + (preservation - kept) / self._scored
            self.f1_ap = f1_ap(self.attribution, self.preservation)


class _StoredLine(NamedTuple):
    """The line of a result in the file: its offset `start`, the cost, and whether the result has no error."""

    start: int
    cost: float
    is_done: bool


class ResultStore:
    """The file with the results of one batch, one result a line. Several threads may use the store.

    If a row has several lines, the last line counts. The results themselves are not kept in memory.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file, or makes a new file. Raises `InputError` if the file is damaged."""
        self._path, self._stored_lines, start = path, dict[bytes, _StoredLine](), 0
        for line in repaired_lines(path):
            try:
                digest, columns = json.loads(line)
                self._stored_lines[bytes.fromhex(digest)] = _stored_line(start, columns)
            except (ValueError, TypeError, KeyError):
                raise InputError(f"{path} is damaged at byte {start:,}: delete it and run again") from None
            start += len(line)
        self._lines = LineAppender(path, synced=False)

    def total_cost(self) -> float:
        """Returns the sum of the known costs of all results."""
        return sum(place.cost for place in self._stored_lines.values())

    def is_done(self, digest: bytes) -> bool:
        """Tells whether the row with this digest has a result without an error."""
        return digest in self._stored_lines and self._stored_lines[digest].is_done

    def add_result(self, digest: bytes, columns: Mapping[str, Any]) -> None:
        """Stores the result columns of a row. They replace an earlier result of this row."""
        line = json_text([digest.hex(), dict(columns)])
        if (start := self._lines.append_line(f"{line}\n".encode())) >= 0:
            self._stored_lines[digest] = _stored_line(start, columns)

    def stored_result(self, digest: bytes) -> dict[str, Any] | None:
        """Returns the stored result columns of a row, even if they have an error; None if none is stored."""
        if (place := self._stored_lines.get(digest)) is None:
            return None
        with self._path.open("rb") as lines:
            lines.seek(place.start)
            return dict(json.loads(lines.readline())[1])

    def close(self) -> None:
        self._lines.close()


def _stored_line(start: int, columns: Mapping[str, Any]) -> _StoredLine:
    return _StoredLine(start, columns["rarr_cost"] or 0.0, not columns["rarr_error"])
