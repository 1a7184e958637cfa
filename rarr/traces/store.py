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
            id INTEGER PRIMARY KEY AUTOINCREMENT,  -- grows, and no number comes again
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
_OF_RUN = f"spans.id BETWEEN :run * {MOST_SPANS} AND :run * {MOST_SPANS} + {MOST_SPANS - 1}"
_OF_LISTED = _OF_RUN.replace(":run", "runs.id")
LAST = "last"
"""Names the newest run."""

_LISTED = f"""
    SELECT run_id, started, seconds, error, facts,
        (SELECT count(json_extract(body, '$.tokens')) FROM spans WHERE {_OF_LISTED} AND kind = 'request'),
        (
            SELECT coalesce(sum(json_extract(body, '$.tokens[0]') + json_extract(body, '$.tokens[1]')), 0)
            FROM spans WHERE {_OF_LISTED} AND kind = 'request'
        ),
        (
            SELECT count(DISTINCT json_extract(value, '$[2].id')) FROM spans, json_each(spans.records)
            WHERE {_OF_LISTED} AND json_extract(value, '$[1]') = 'Edit'
            AND json_extract(value, '$[2].accepted')
        )
    FROM runs ORDER BY id DESC LIMIT ?
"""

Row = tuple[int, int, str, str, str, float, float | None, str, str, str]
"""Number, parent, kind, name, about, started, seconds, error, and the JSON of records and body."""


class Listed(NamedTuple):
    """A run as a list of runs shows it."""

    run_id: str
    started: float
    seconds: float | None
    error: str
    facts: Facts
    calls: int  # of models, those that failed included
    tokens: int  # in and out
    edits: int  # accepted

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
            _require(sqlite.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone())
            sqlite.executemany("INSERT OR IGNORE INTO prompts VALUES (?, ?)", kept)
            rows = ((run * MOST_SPANS + number, *rest) for number, *rest in spans)
            sqlite.executemany("REPLACE INTO spans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def finish(self, run: int, seconds: float, error: str, records: str, revision: str | None) -> None:
        """The run has ended."""
        with self.transaction() as sqlite:
            done = sqlite.execute(
                "UPDATE runs SET seconds = ?, error = ?, records = ?, revision = ? WHERE id = ?",
                (seconds, error, records, revision, run),
            )
            _require(done.rowcount)

    def names(self) -> "Sequence[str]":
        """All runs, the newest first."""
        with self.used() as sqlite:
            return [name for (name,) in sqlite.execute("SELECT run_id FROM runs ORDER BY id DESC")]

    def list(self, most: int = -1) -> "Sequence[Listed]":
        """The runs, the newest first."""
        with self.used() as sqlite:
            rows = sqlite.execute(_LISTED, (most,)).fetchall()
        return [
            Listed(run_id, started, seconds, error, Facts.model_validate_json(facts), *counts)
            for run_id, started, seconds, error, facts, *counts in rows
        ]

    def read(self, run_id: str) -> TraceFile:
        """The trace of a run, named as far as it takes, or `last`. Raises `InputError` otherwise."""
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

    def reopen(self, run_id: str, facts: Facts) -> int:
        """The number of a run that goes on, in another process perhaps."""
        with self.transaction() as sqlite:
            sqlite.execute(
                "UPDATE runs SET seconds = NULL, error = '', facts = ? WHERE run_id = ?",
                (facts.model_dump_json(), run_id),
            )
            found: int = sqlite.execute("SELECT id FROM runs WHERE run_id = ?", (run_id,)).fetchone()[0]
        return found

    def number(self, run_id: str) -> int:
        """The number by which spans name the run. Raises `InputError` as `read` does."""
        return self._named(run_id)[0]

    def add(self, file: TraceFile) -> None:
        """Stores a run that was handed on. Raises `InputError` where there is one of its name."""
        if file.run_id in self.names():
            cure = f"rarr trace show {file.run_id} shows it, and rarr trace prune {file.run_id} removes it"
            raise InputError(f"there is a trace of a run {file.run_id!r} already: {cure}")
        run = self.begin(file.run_id, file.started, file.facts)
        try:
            self._fill(run, file)
        except BaseException:
            self._remove(run)
            raise

    def _fill(self, run: int, file: TraceFile) -> None:
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

    def remove(self, run_ids: Iterable[str]) -> int:
        """Removes runs that are named as for `read`, all or, where one is not there, none; how many."""
        runs = {self._named(one)[0] for one in run_ids}
        return sum(map(self._remove, sorted(runs)))

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
            if run_id == LAST:
                found = sqlite.execute("SELECT id, run_id FROM runs ORDER BY id DESC LIMIT 1").fetchall()
            else:
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


def on_disk(path: Path) -> int:
    """Bytes of the file of a store, with what is not yet written into its place."""
    return sum(one.stat().st_size for one in (path, Path(f"{path}-wal")) if one.exists())


def _require(there: Any) -> None:
    if not there:
        raise InputError("it was removed while it went on")


def _span(row: Sequence[Any]) -> StoredSpan:
    names = ("number", "parent", "kind", "name", "about", "started", "seconds", "error")
    plain = dict(zip(names, row, strict=False)) | {"number": row[0] % MOST_SPANS}
    return StoredSpan(**plain, records=json.loads(row[8]), body=json.loads(row[9]))


def _row(span: StoredSpan) -> Row:
    plain = span.model_dump(mode="json")
    packed = [json.dumps(plain.pop(name), ensure_ascii=False) for name in ("records", "body")]
    return (*plain.values(), *packed)
