"""Records in SQLite which versions of files are live in an index: searches return only their passages.

A passage belongs to one version of one file. A version is first recorded as pending, then its passages are
committed, then it becomes live together with its whole batch. The version that it replaces becomes dead
until its passages are removed. A build may die at any moment: passages of versions that are not live are
ignored.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

MANIFEST = "rarr-index.sqlite"
FORMAT = "2"

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, not even after a crash
    state TEXT NOT NULL CHECK (state IN ('pending', 'live', 'dead')),
    name TEXT NOT NULL, size INTEGER, mtime_ns INTEGER, digest BLOB,
    documents INTEGER NOT NULL, passages INTEGER NOT NULL, notes TEXT NOT NULL
);
CREATE INDEX by_state ON versions (state, name);
CREATE TABLE skipped (file TEXT NOT NULL, reason TEXT NOT NULL);
"""
_COLUMNS = "name, size, mtime_ns, digest, documents, passages, notes"


class FileVersion(NamedTuple):
    """A file as a build read it, with its counts. `notes` tell which parts could not be read."""

    name: str
    size: int
    mtime_ns: int
    digest: bytes
    documents: int = 0
    passages: int = 0
    notes: tuple[str, ...] = ()


class Manifest:
    """The SQLite file in an index's folder: the versions of the indexed files, and how the index was made.

    Every use of a damaged manifest raises `sqlite3.Error`.
    """

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        """Opens the file in `folder`; `write` makes a missing file."""
        # Where nothing may be written, nobody else writes either; SQLite has to be told.
        mode = "rwc" if write else "rw" if os.access(folder, os.W_OK) else "ro&immutable=1"
        uri = f"{(folder / MANIFEST).absolute().as_uri()}?mode={mode}"
        self._sqlite = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)

    def close(self) -> None:
        self._sqlite.close()

    def __del__(self) -> None:  # Python warns about connections that nobody closed
        if hasattr(self, "_sqlite"):
            self.close()

    def create(self, facts: dict[str, str]) -> None:
        """Makes the tables of a new file. `facts` tell the corpus of the index and how it was made."""
        self._sqlite.execute("PRAGMA journal_mode = WAL")  # readers continue while a build writes
        self._sqlite.executescript(f"BEGIN; {_TABLES}")
        self.record({**facts, "state": uuid4().hex})
        self._sqlite.execute("COMMIT")

    def facts(self) -> dict[str, str]:
        """Returns, by name, the recorded facts about the index: its corpus, and how it was made."""
        return dict(self._sqlite.execute("SELECT name, value FROM facts"))

    def record(self, facts: dict[str, str]) -> None:
        """Writes the facts; each replaces the earlier fact of its name."""
        self._sqlite.executemany("REPLACE INTO facts VALUES (?, ?)", facts.items())

    def state(self) -> str:
        """Returns an id of the set of live versions, which changes whenever the set changes."""
        row = self._sqlite.execute("SELECT value FROM facts WHERE name = 'state'").fetchone()
        return str(row[0])

    def live(self) -> dict[int, FileVersion]:
        """Returns, by id, the live versions of files: those whose passages a search returns."""
        rows = self._sqlite.execute(f"SELECT id, {_COLUMNS} FROM versions WHERE state = 'live'")
        return {key: FileVersion._make((*values, tuple(json.loads(notes)))) for key, *values, notes in rows}

    def names(self) -> dict[int, str]:
        """Returns the file names of the live versions, by the versions' ids."""
        return dict(self._sqlite.execute("SELECT id, name FROM versions WHERE state = 'live'"))

    def totals(self) -> tuple[int, int]:
        """Counts the documents and the passages of live versions."""
        sums = "SELECT TOTAL(documents), TOTAL(passages) FROM versions WHERE state = 'live'"
        documents, passages = self._sqlite.execute(sums).fetchone()
        return int(documents), int(passages)

    def skipped(self) -> list[tuple[str, str]]:
        """Returns (file, reason) of files that the last build did not read, and of parts that it left out."""
        rows = self._sqlite.execute("SELECT file, reason FROM skipped ORDER BY file").fetchall()
        noted = self._sqlite.execute(
            "SELECT name, notes FROM versions WHERE state = 'live' AND notes != '[]'"
        )
        return [(file, f"not searched: {reason}") for file, reason in rows] + [
            (name, note) for name, notes in noted for note in json.loads(notes)
        ]

    def begin(self, version: FileVersion) -> int:
        """Adds a version of a file, without its counts and notes, and returns the version's id.

        The version is pending: a search returns its passages only after `publish`.
        """
        self._transaction()
        row = self._sqlite.execute(
            f"INSERT INTO versions (state, {_COLUMNS}) VALUES ('pending', ?, ?, ?, ?, 0, 0, '[]')",
            version[:4],
        )
        assert row.lastrowid is not None  # an INSERT that fails raises
        return row.lastrowid

    def finish(self, version_id: int, documents: int, passages: int, notes: Sequence[str]) -> None:
        """Writes the counts of a version, and in `notes` what could not be read of its file.

        The version stays pending till `publish`.
        """
        self._sqlite.execute(
            "UPDATE versions SET documents = ?, passages = ?, notes = ? WHERE id = ?",
            (documents, passages, json.dumps(notes), version_id),
        )

    def discard(self, version_id: int) -> None:
        """Marks the version as dead: a search never returns its passages."""
        self._sqlite.execute("UPDATE versions SET state = 'dead' WHERE id = ?", (version_id,))

    def touch(self, version_id: int, size: int, mtime_ns: int) -> None:
        """Records the new size and time of a file whose content is the same."""
        self._transaction()
        self._sqlite.execute(
            "UPDATE versions SET size = ?, mtime_ns = ? WHERE id = ?", (size, mtime_ns, version_id)
        )

    def save(self) -> None:
        """Commits all changes so far."""
        if self._sqlite.in_transaction:
            self._sqlite.execute("COMMIT")

    def publish(self, removed: Iterable[str] = ()) -> list[int]:
        """Makes pending versions live in place of the old ones, and the files `removed` dead.

        Commits, and returns the ids of all versions that are not live.
        """
        self._transaction()
        replaced = "SELECT name FROM versions WHERE state = 'pending'"
        self._sqlite.execute(
            f"UPDATE versions SET state = 'dead' WHERE state = 'live' AND name IN ({replaced})"
        )
        self._sqlite.executemany(
            "UPDATE versions SET state = 'dead' WHERE state = 'live' AND name = ?",
            ((name,) for name in removed),
        )
        self._sqlite.execute("UPDATE versions SET state = 'live' WHERE state = 'pending'")
        self.record({"state": uuid4().hex})
        self.save()
        return self.gone()

    def gone(self) -> list[int]:
        """Returns the ids of all versions that are not live, pending versions too.

        Their passages are to be removed from the index.
        """
        return [row[0] for row in self._sqlite.execute("SELECT id FROM versions WHERE state != 'live'")]

    def forget(self, version_ids: Iterable[int]) -> None:
        """Deletes the rows of versions whose passages are gone."""
        self._transaction()
        self._sqlite.executemany("DELETE FROM versions WHERE id = ?", ((key,) for key in version_ids))

    def set_skipped(self, skipped: Iterable[tuple[str, str]]) -> None:
        """Replaces the list of files that a build did not read, with the reasons, and commits."""
        self._transaction()
        self._sqlite.execute("DELETE FROM skipped")
        self._sqlite.executemany("INSERT INTO skipped VALUES (?, ?)", skipped)
        self.save()

    def _transaction(self) -> None:
        if not self._sqlite.in_transaction:
            self._sqlite.execute("BEGIN IMMEDIATE")
