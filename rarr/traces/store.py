"""The file with the traces of all runs, in the user's data folder."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rarr.errors import InputError
from rarr.prompts import Prompt
from rarr.tools.database import Database
from rarr.tools.database_opening import Schema
from rarr.traces.file import MOST_SPANS, Facts, Status, StoredSpan, TraceFile, prompt_fields, status_of

SCHEMA = Schema(
    noun="trace store",
    name=0x72617274,  # "rart" in ASCII
    format=1,
    tables="""
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY,  -- grows, so that the lowest are the oldest
            run_id TEXT NOT NULL UNIQUE, started REAL NOT NULL, seconds REAL, error TEXT NOT NULL,
            facts TEXT NOT NULL, records TEXT NOT NULL, revision TEXT
        );
        CREATE TABLE spans (
            id INTEGER PRIMARY KEY,  -- the run's, and the number of the span in the lower bits
            parent INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL,
            started REAL NOT NULL, seconds REAL, error TEXT NOT NULL, records TEXT NOT NULL,
            body TEXT NOT NULL
        );
        CREATE TABLE prompts (hash TEXT PRIMARY KEY, fields TEXT NOT NULL) WITHOUT ROWID;
    """,
)
DAY_S = 86_400.0
_OF_RUN = f"id BETWEEN :run * {MOST_SPANS} AND :run * {MOST_SPANS} + {MOST_SPANS - 1}"

Row = tuple[int, int, str, str, str, float, float | None, str, str, str]
"""Number, parent, kind, name, about, started, seconds, error, and the JSON of records and body."""


class Listed(NamedTuple):
    """A run as a list of runs shows it."""

    run_id: str
    started: float
    seconds: float | None
    error: str
    facts: Facts

    @property
    def status(self) -> Status:
        """What became of it."""
        return status_of(self.seconds, self.error, self.facts.process)


class TraceStore(Database):
    """Many processes and threads write and read it at once."""

    def __init__(self, path: Path) -> None:
        """Raises `InputError` for a file that is damaged, is something else or cannot be opened."""
        super().__init__(path, SCHEMA)

    def begin(self, run_id: str, started: float, facts: Facts) -> int:
        """The number by which spans name the run. Raises `InputError` where there is one of this name."""
        with self.transaction() as sqlite:
            if sqlite.execute("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)).fetchone():
                raise InputError(f"there is a trace of a run {run_id!r} already: give another run_id")
            values = (run_id, started, facts.model_dump_json())
            return (
                sqlite.execute(
                    "INSERT INTO runs (run_id, started, error, facts, records) VALUES (?, ?, '', ?, '[]')",
                    values,
                ).lastrowid
                or 0
            )

    def write(self, run: int, spans: Iterable[Row], prompts: Mapping[str, Prompt]) -> None:
        """Stores spans, in the place of those of the same numbers."""
        kept = [(name, json.dumps(prompt_fields(one))) for name, one in prompts.items()]
        with self.transaction() as sqlite:
            sqlite.executemany("INSERT OR IGNORE INTO prompts VALUES (?, ?)", kept)
            rows = ((run * MOST_SPANS + number, *rest) for number, *rest in spans)
            sqlite.executemany("REPLACE INTO spans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def finish(self, run: int, seconds: float, error: str, records: str, revision: str | None) -> None:
        """The run has ended."""
        with self.transaction() as sqlite:
            sqlite.execute(
                "UPDATE runs SET seconds = ?, error = ?, records = ?, revision = ? WHERE id = ?",
                (seconds, error, records, revision, run),
            )

    def list(self, most: int = -1) -> "Sequence[Listed]":
        """The runs, the newest first."""
        query = "SELECT run_id, started, seconds, error, facts FROM runs ORDER BY id DESC LIMIT ?"
        with self.used() as sqlite:
            rows = sqlite.execute(query, (most,)).fetchall()
        return [
            Listed(run_id, started, seconds, error, Facts.model_validate_json(facts))
            for run_id, started, seconds, error, facts in rows
        ]

    def read(self, run_id: str) -> TraceFile:
        """The trace of a run, named as far as it takes. Raises `InputError` for none, or several."""
        with self.used() as sqlite:
            run, named = self._named(run_id)
            started, seconds, error, facts, records, revision = sqlite.execute(
                "SELECT started, seconds, error, facts, records, revision FROM runs WHERE id = ?", (run,)
            ).fetchone()
            query = f"SELECT * FROM spans WHERE {_OF_RUN} ORDER BY id"
            spans = [_span(row) for row in sqlite.execute(query, {"run": run}).fetchall()]
            asked = dict.fromkeys(span.body["prompt"] for span in spans if "prompt" in span.body)
            query = "SELECT fields FROM prompts WHERE hash = ?"
            prompts = {one: json.loads(sqlite.execute(query, (one,)).fetchone()[0]) for one in asked}
        return TraceFile(
            run_id=named,
            started=started,
            seconds=seconds,
            error=error,
            facts=Facts.model_validate_json(facts),
            spans=spans,
            prompts=prompts,
            records=json.loads(records),
            revision=revision and json.loads(revision),
        )

    def number(self, run_id: str) -> int:
        """The number by which spans name the run. Raises `InputError` as `read` does."""
        return self._named(run_id)[0]

    def add(self, file: TraceFile) -> None:
        """Stores a run that was handed on. Raises `InputError` where there is one of its name."""
        run = self.begin(file.run_id, file.started, file.facts)
        prompts = [(name, json.dumps(fields)) for name, fields in file.prompts.items()]
        with self.transaction() as sqlite:
            sqlite.executemany("INSERT OR IGNORE INTO prompts VALUES (?, ?)", prompts)
        self.write(run, [_row(span) for span in file.spans], {})
        if file.seconds is not None:
            revision = None if file.revision is None else json.dumps(file.revision, ensure_ascii=False)
            records = json.dumps(file.model_dump(mode="json")["records"], ensure_ascii=False)
            self.finish(run, file.seconds, file.error, records, revision)

    def prune(self, *, days: float, max_bytes: float, now: float | None = None) -> int:
        """Removes runs older than that, then the oldest until the rest is small enough; how many."""
        oldest = (time.time() if now is None else now) - days * DAY_S
        with self.used() as sqlite:
            old = sqlite.execute("SELECT id FROM runs WHERE started < ?", (oldest,)).fetchall()
        removed = sum(self._remove(run) for (run,) in old)
        while self.size() > max_bytes and (first := self._oldest()) is not None:
            removed += self._remove(first)
        return removed

    def shrink(self) -> None:
        """Gives the place of what was removed back to the disk, with what stood there."""
        with self.used() as sqlite:
            sqlite.execute("VACUUM")
            sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _oldest(self) -> int | None:
        with self.used() as sqlite:
            found: int | None = sqlite.execute("SELECT min(id) FROM runs").fetchone()[0]
        return found

    def _remove(self, run: int) -> int:
        with self.transaction() as sqlite:
            sqlite.execute(f"DELETE FROM spans WHERE {_OF_RUN}", {"run": run})
            return sqlite.execute("DELETE FROM runs WHERE id = ?", (run,)).rowcount

    def _named(self, run_id: str) -> tuple[int, str]:
        """The run whose name is this one, or alone begins with it."""
        with self.used() as sqlite:
            found = sqlite.execute("SELECT id, run_id FROM runs WHERE run_id = ?", (run_id,)).fetchall()
            if not found:
                query = "SELECT id, run_id FROM runs WHERE substr(run_id, 1, ?) = ? LIMIT 2"
                found = sqlite.execute(query, (len(run_id), run_id)).fetchall() if run_id else []
        if not found:
            raise InputError(f"there is no trace of a run {run_id!r}: rarr trace list names them")
        if len(found) > 1:
            raise InputError(f"several runs begin with {run_id!r}: give more of the name")
        number, name = found[0]
        return number, name


def _span(row: Sequence[Any]) -> StoredSpan:
    names = ("number", "parent", "kind", "name", "about", "started", "seconds", "error")
    plain = dict(zip(names, row, strict=False)) | {"number": row[0] % MOST_SPANS}
    return StoredSpan(**plain, records=json.loads(row[8]), body=json.loads(row[9]))


def _row(span: StoredSpan) -> Row:
    plain = span.model_dump(mode="json")
    packed = [json.dumps(plain.pop(name), ensure_ascii=False) for name in ("records", "body")]
    return (*plain.values(), *packed)
