"""Writes, lists, reads and removes the traces of all runs in one SQLite file of the data folder."""

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from rarr.errors import InputError
from rarr.prompts import Prompt
from rarr.tools.storage.database import Database, Schema
from rarr.traces.trace_file import RunFacts, Status, StoredSpan, TraceFile, first_of, prompt_fields, status_of
from rarr.valid_unicode import valid

DAY_S = 86_400.0
LAST = "last"
"""The name for the newest run, unless a run has this name."""

SpanRow = tuple[int, int, str, str, str, float, float | None, str, str, str]
"""Number, parent, kind, name, about, started, seconds, error, and the JSON of records and body."""

SCHEMA = Schema(
    noun="trace store",
    name=0x72617274,  # "rart" in ASCII
    format=2,
    tables="""
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,  -- grows, and no number comes again
            run_id TEXT NOT NULL UNIQUE, stored REAL NOT NULL,  -- when it came here
            started REAL NOT NULL, seconds REAL, error TEXT NOT NULL,
            facts TEXT NOT NULL, records TEXT NOT NULL, revision TEXT
        );
        CREATE TABLE spans (
            run INTEGER NOT NULL, number INTEGER NOT NULL,
            parent INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL,
            started REAL NOT NULL, seconds REAL, error TEXT NOT NULL, records TEXT NOT NULL,
            body TEXT NOT NULL, PRIMARY KEY (run, number)
        );
        -- Of each run its own: another's file may say anything of the prompt of a hash.
        CREATE TABLE prompts (
            run INTEGER NOT NULL, hash TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (run, hash)
        );
        CREATE TRIGGER removed AFTER DELETE ON runs BEGIN
            DELETE FROM spans WHERE run = old.id;
            DELETE FROM prompts WHERE run = old.id;
        END;
    """,
)
_OF_REQUESTS = "FROM spans WHERE run = runs.id AND kind = 'request'"
_LISTED = f"""
    SELECT run_id, started, seconds, error, facts,
        (SELECT count(json_extract(body, '$.tokens')) {_OF_REQUESTS}),
        (
            SELECT coalesce(sum(json_extract(body, '$.tokens[0]') + json_extract(body, '$.tokens[1]')), 0)
            {_OF_REQUESTS}
        ),
        (
            SELECT count(DISTINCT json_extract(value, '$[2].id')) FROM spans, json_each(spans.records)
            WHERE run = runs.id AND json_extract(value, '$[1]') = 'Edit'
            AND json_extract(value, '$[2].accepted')
        )
    FROM runs ORDER BY id DESC LIMIT ?
"""
_SPANS = """
    SELECT number, parent, kind, name, about, started, seconds, error, records, body
    FROM spans WHERE run = ? ORDER BY number
"""

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

    def list(self, most: int = -1) -> "Sequence[RunSummary]":
        """Returns summaries of the `most` newest runs (-1: all), the newest first."""
        with self.used() as sqlite:
            rows = sqlite.execute(_LISTED, (most,)).fetchall()
        return [RunSummary._make((*row[:4], _facts(row[4]), *row[5:])) for row in rows]

    def resolve(self, word: str) -> str:
        """Returns the run named `word`; else the newest run for `last`; else the run whose name begins so.

        Raises `InputError` where there is no such run, or several.
        """
        word = valid(word)
        names = self.names()
        if word in names:
            return word
        found = names[:1] if word == LAST else [name for name in names if word and name.startswith(word)]
        if len(found) > 1:
            raise InputError(f"several runs begin with {word!r}: give more of the name")
        if not found:
            raise _missing(word)
        return found[0]

    def read(self, run_id: str) -> TraceFile:
        """Reads the trace of the run of this name. Raises `InputError` if there is none, or it is damaged."""
        names = ("started", "seconds", "error", "facts", "records", "revision")
        with self.used() as sqlite:
            sqlite.execute("BEGIN")  # all reads see the same state, even if others write meanwhile
            try:
                run = _number(sqlite, run_id)
                row = sqlite.execute(f"SELECT {', '.join(names)} FROM runs WHERE id = ?", (run,)).fetchone()
                spans = sqlite.execute(_SPANS, (run,)).fetchall()
                query = "SELECT hash, fields FROM prompts WHERE run = ? ORDER BY rowid"
                prompts = sqlite.execute(query, (run,)).fetchall()
            finally:
                sqlite.execute("COMMIT")
        fields = dict(zip(names, row, strict=True))
        try:
            packed = {name: fields[name] and json.loads(fields[name]) for name in names[3:]}
            known = {name: json.loads(plain) for name, plain in prompts}
            return TraceFile(**fields | packed, run_id=run_id, spans=list(map(_span, spans)), prompts=known)
        except ValueError as error:
            why = first_of(error) if isinstance(error, ValidationError) else error
            cure = f"rarr trace prune {run_id} removes it"
            raise InputError(f"the trace of {run_id!r} is damaged ({why}): {cure}") from None

    def reopen(self, run_id: str, facts: RunFacts) -> int:
        """Marks a run as unfinished with new `facts`, since it continues. Returns its number."""
        with self.transaction() as sqlite:
            run = _number(sqlite, run_id)
            update = "UPDATE runs SET seconds = NULL, error = '', facts = ? WHERE id = ?"
            sqlite.execute(update, (facts.model_dump_json(), run))
            return run

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
    update = "UPDATE runs SET seconds = ?, error = ?, records = ?, revision = ? WHERE id = ?"
    _require(sqlite.execute(update, (seconds, error, records, revision, run)).rowcount)


def _require(there: Any) -> None:
    if not there:
        raise InputError("the run was removed while it was under way")


def _number(sqlite: sqlite3.Connection, run_id: str) -> int:
    row = sqlite.execute("SELECT id FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    if row is None:
        raise _missing(run_id)
    return int(row[0])


def _missing(word: str) -> InputError:
    return InputError(f"there is no trace of a run {word!r}: rarr trace list names them")


def _facts(facts: str) -> RunFacts:
    try:
        return RunFacts.model_validate_json(facts)
    except ValidationError:
        return DAMAGED


def _span(row: Sequence[Any]) -> StoredSpan:
    *plain, records, body = row
    fields = dict(zip(StoredSpan.model_fields, plain, strict=False))
    return StoredSpan(**fields, records=json.loads(records), body=json.loads(body))


def _row(span: StoredSpan) -> SpanRow:
    *plain, records, body = span.model_dump(mode="json").values()
    return (*plain, _json(records), _json(body))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
