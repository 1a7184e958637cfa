"""Writes, lists, reads and removes the traces of all runs in one SQLite file of the data folder."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from rarr.errors import InputError
from rarr.prompts import Prompt
from rarr.tools.storage.database import Database
from rarr.traces.span_body_schema import first_of, prompt_fields
from rarr.traces.store_schema import LISTED, SCHEMA, SPANS
from rarr.traces.trace_file import RunFacts, Status, StoredSpan, TraceFile, status_of
from rarr.valid_unicode import valid

DAY_S = 86_400.0
LAST = "last"
"""The name for the newest run, unless a run has this name."""

SpanRow = tuple[int, int, str, str, str, float, float | None, str, str, str]
"""Number, parent, kind, name, about, started, seconds, error, and the JSON of records and body."""


DAMAGED = RunFacts(version="", original="", context=None, settings={}, warnings=[], process=("", 0))
"""The facts of a run in a list whose own facts cannot be read."""


class RunSummary(NamedTuple):
    """The figures of one run in a list of runs. `seconds` is None if the run did not end.

    `facts` are `DAMAGED` if they cannot be read.
    """

    run_id: str
    started: float
    seconds: float | None
    error: str
    facts: RunFacts
    changed: bool  # whether the revision has another text; False without a revision
    calls: int  # requests to models, including failed ones
    tokens: int  # in and out
    edits: int  # accepted

    @property
    def status(self) -> Status:
        """Returns done, failed, running, cut short or damaged."""
        return "damaged" if self.facts is DAMAGED else status_of(self.seconds, self.error, self.facts.process)


class TraceStore(Database):
    """The SQLite file with the traces of all runs. Many processes and threads may use it at once."""

    def __init__(self, path: Path) -> None:
        """Raises `InputError` for a file that is damaged, is not a trace store or cannot be opened."""
        super().__init__(path, SCHEMA)

    def begin(self, run_id: str, started: float, facts: RunFacts) -> int:
        """Adds a run, and returns the number by which spans refer to it.

        Raises `InputError` for a used name.
        """
        with self.transaction() as sqlite:
            return _begin(sqlite, run_id, started, facts, "give another run_id")

    def write(self, run: int, spans: Iterable[SpanRow], prompts: Mapping[str, Prompt]) -> None:
        """Writes spans and prompts of a run. Spans replace the spans with the same numbers."""
        fields = {name: prompt_fields(prompt) for name, prompt in prompts.items()}
        with self.transaction() as sqlite:
            _write(sqlite, run, spans, fields)

    def finish(self, run: int, seconds: float, error: str, records: str, revision: str | None) -> None:
        """Writes the end of the run: its error ("" if none) or its revision, with the records in it."""
        with self.transaction() as sqlite:
            _finish(sqlite, run, seconds, error, records, revision)

    def add(self, file: TraceFile) -> None:
        """Writes a run that was read from a file. Raises `InputError` if a run of its name exists."""
        cure = f"rarr trace show {file.run_id} shows it, and rarr trace prune {file.run_id} removes it"
        records = _json(file.model_dump(mode="json")["records"])
        revision = None if file.revision is None else _json(file.revision)
        with self.transaction() as sqlite:
            run = _begin(sqlite, file.run_id, file.started, file.facts, cure)
            _write(sqlite, run, map(_row, file.spans), file.prompts)
            if file.seconds is not None:
                _finish(sqlite, run, file.seconds, file.error, records, revision)

    def names(self) -> "Sequence[str]":
        """Returns the names of all runs, the newest first."""
        with self.used() as sqlite:
            return [name for (name,) in sqlite.execute("SELECT run_id FROM runs ORDER BY id DESC")]

    def list(self, most: int = -1, *, prefix: str = "") -> "Sequence[RunSummary]":
        """Returns summaries of the `most` newest runs (-1: all), the newest first.

        Their names begin with `prefix`.
        """
        with self.used() as sqlite:
            rows = sqlite.execute(LISTED, (len(prefix), prefix, most)).fetchall()
        return [
            RunSummary(run_id, started, seconds, error, _facts(facts), bool(changed), *counts)
            for run_id, started, seconds, error, facts, changed, *counts in rows
        ]

    def __contains__(self, run_id: str) -> bool:
        """Tells whether there is a run of this name; the beginning of a name is not enough."""
        with self.used() as sqlite:
            return sqlite.execute("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)).fetchone() is not None

    def resolve(self, word: str) -> str:
        """Returns the run named `word`; else the newest run for `last`; else the run whose name begins so.

        Raises `InputError` where there is no such run, or several.
        """
        word = valid(word)
        with self.used() as sqlite:
            rows = sqlite.execute("SELECT run_id FROM runs WHERE run_id = ?", (word,)).fetchall()
            if not rows and word == LAST:
                rows = sqlite.execute("SELECT run_id FROM runs ORDER BY id DESC LIMIT 1").fetchall()
            if not rows and word:
                query = "SELECT run_id FROM runs WHERE substr(run_id, 1, ?) = ? LIMIT 2"
                rows = sqlite.execute(query, (len(word), word)).fetchall()
        if len(rows) > 1:
            raise InputError(f"several runs begin with {word!r}: give more of the name")
        if not rows:
            raise _missing(word)
        return str(rows[0][0])

    def read(self, run_id: str) -> TraceFile:
        """Reads the trace of the run of this name. Raises `InputError` if there is none, or it is damaged."""
        with self._reading() as sqlite:
            query = "SELECT id, started, seconds, error, facts, records, revision FROM runs WHERE run_id = ?"
            if (row := sqlite.execute(query, (run_id,)).fetchone()) is None:
                raise _missing(run_id)
            run, started, seconds, error, facts, records, revision = row
            spans = sqlite.execute(SPANS, (run,)).fetchall()
            query = "SELECT hash, fields FROM prompts WHERE run = ? ORDER BY rowid"
            prompts = sqlite.execute(query, (run,)).fetchall()
        try:
            return TraceFile(
                run_id=run_id,
                started=started,
                seconds=seconds,
                error=error,
                facts=RunFacts.model_validate_json(facts),
                spans=list(map(_span, spans)),
                prompts={name: json.loads(fields) for name, fields in prompts},
                records=json.loads(records),
                revision=revision and json.loads(revision),
            )
        except ValidationError as wrong:
            cure = f"rarr trace prune {run_id} removes it"
            raise InputError(f"the trace of {run_id!r} is damaged ({first_of(wrong)}): {cure}") from None

    def reopen(self, run_id: str, facts: RunFacts) -> int:
        """Marks a run as unfinished with new `facts`, since it continues. Returns its number."""
        with self.transaction() as sqlite:
            sqlite.execute(
                "UPDATE runs SET seconds = NULL, error = '', facts = ? WHERE run_id = ?",
                (facts.model_dump_json(), run_id),
            )
            return _number(sqlite, run_id)

    def prune(self, *, days: float, max_bytes: float, now: float | None = None) -> int:
        """Removes runs older than `days`, then the oldest until `max_bytes` suffice; returns the number."""
        oldest = (time.time() if now is None else now) - days * DAY_S
        removed = self._remove("stored < ?", oldest)
        while self.size() > max_bytes and self._remove("id = (SELECT min(id) FROM runs)"):
            removed += 1
        return removed

    def remove(self, run_ids: Iterable[str]) -> int:
        """Removes the runs of these names, all of them or none if a name is unknown; returns the number."""
        with self.transaction() as sqlite:
            runs = {_number(sqlite, run_id) for run_id in run_ids}
            return sum(self._removed(sqlite, "id = ?", run) for run in runs)

    def remove_all(self) -> int:
        """Removes all runs; returns the number."""
        return self._remove("TRUE")

    def shrink(self) -> None:
        """Gives the space of removed runs back to the disk, and erases their content."""
        with self.used() as sqlite:
            sqlite.execute("VACUUM")
            sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Opens a transaction for reading: all reads see the same state, even if others write meanwhile."""
        with self.used() as sqlite:
            sqlite.execute("BEGIN")
            try:
                yield sqlite
            finally:
                sqlite.execute("COMMIT")

    def _remove(self, which: str, *values: float) -> int:
        with self.transaction() as sqlite:
            return self._removed(sqlite, which, *values)

    def _removed(self, sqlite: sqlite3.Connection, which: str, *values: float) -> int:
        """Removes runs, and the HTML page of each run first. Raises `InputError` if a page cannot go."""
        names = sqlite.execute(f"SELECT run_id FROM runs WHERE {which}", values).fetchall()
        for (name,) in names:
            page = page_path(self._path.parent, name)
            try:
                page.unlink(missing_ok=True)
            except OSError as error:
                raise InputError(f"{page} cannot be removed ({error.strerror}): remove it") from None
        return sqlite.execute(f"DELETE FROM runs WHERE {which}", values).rowcount


def page_path(home: Path, run_id: str) -> Path:
    """Returns where `rarr trace open` writes the page of a run. The page is removed with the run."""
    return home / "pages" / f"{run_id}.html"


def _begin(sqlite: sqlite3.Connection, run_id: str, started: float, facts: RunFacts, cure: str) -> int:
    if sqlite.execute("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)).fetchone():
        raise InputError(f"there is a trace of a run {run_id!r} already: {cure}")
    cursor = sqlite.execute(
        "INSERT INTO runs (run_id, stored, started, error, facts, records) VALUES (?, ?, ?, '', ?, '[]')",
        (run_id, time.time(), started, facts.model_dump_json()),
    )
    return cursor.lastrowid or 0


def _write(
    sqlite: sqlite3.Connection, run: int, spans: Iterable[SpanRow], prompts: Mapping[str, dict[str, Any]]
) -> None:
    _require(sqlite.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone())
    kept = ((run, name, _json(fields)) for name, fields in prompts.items())
    sqlite.executemany("INSERT OR IGNORE INTO prompts VALUES (?, ?, ?)", kept)
    rows = ((run, *span) for span in spans)
    sqlite.executemany("REPLACE INTO spans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def _finish(
    sqlite: sqlite3.Connection, run: int, seconds: float, error: str, records: str, revision: str | None
) -> None:
    cursor = sqlite.execute(
        "UPDATE runs SET seconds = ?, error = ?, records = ?, revision = ? WHERE id = ?",
        (seconds, error, records, revision, run),
    )
    _require(cursor.rowcount)


def _number(sqlite: sqlite3.Connection, run_id: str) -> int:
    row = sqlite.execute("SELECT id FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    if row is None:
        raise _missing(run_id)
    return int(row[0])


def _facts(facts: str) -> RunFacts:
    try:
        return RunFacts.model_validate_json(facts)
    except ValidationError:
        return DAMAGED


def _missing(run_id: str) -> InputError:
    return InputError(f"there is no trace of a run {run_id!r}: rarr trace list names them")


def _require(there: Any) -> None:
    if not there:
        raise InputError("the run was removed while it was under way")


def _span(row: Sequence[Any]) -> StoredSpan:
    names = ("number", "parent", "kind", "name", "about", "started", "seconds", "error")
    plain = dict(zip(names, row, strict=False))
    return StoredSpan(**plain, records=json.loads(row[8]), body=json.loads(row[9]))


def _row(span: StoredSpan) -> SpanRow:
    plain = span.model_dump(mode="json")
    packed = [_json(plain.pop(name)) for name in ("records", "body")]
    return (*plain.values(), *packed)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
