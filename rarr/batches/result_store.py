"""Keeps the results of a batch in a SQLite file beside its output. A killed process loses none of them.

A result is found by the digest of its row's text, context and sources, so rows may move, come and go between
two runs, and equal rows are worked on once.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from rarr.batches.output_rows import json_text
from rarr.errors import InputError
from rarr.tools.storage.database import Database, Schema

_SCHEMA = Schema(
    noun="file of results",
    name=0x52415242,  # "RARB"
    format=2,
    tables="""
        CREATE TABLE results (digest BLOB PRIMARY KEY, columns TEXT, error TEXT NOT NULL DEFAULT '',
            seen INTEGER, started INTEGER)
            WITHOUT ROWID;
    """,
)
_UNDONE = "(columns IS NULL OR error != '')"


class Expected(NamedTuple):
    """The work of a run: all rows, and the different ones that have no result, or one with an error."""

    rows: int
    left: int


def has_results(path: Path) -> bool:
    """Tells whether the file holds the result of a row."""
    if not path.exists():
        return False
    with closing(sqlite3.connect(path)) as sqlite, suppress(sqlite3.Error):
        return sqlite.execute("SELECT 1 FROM results WHERE columns IS NOT NULL").fetchone() is not None
    return False


class ResultStore:
    """The results of one batch. Several threads may use it."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file. Raises `InputError` where it cannot be used."""
        self._path, self._database, self._run = path, Database(path, _SCHEMA), time.time_ns()

    def expect(self, digests: Iterable[bytes]) -> Expected:
        """Notes the rows of this run. Results that the input no longer has are kept."""
        rows = 0
        with self._used(writing=True) as sqlite:
            for rows, digest in enumerate(digests, start=1):  # noqa: B007  # the last number is the count
                sqlite.execute(
                    "INSERT INTO results (digest, seen) VALUES (?, ?)"
                    " ON CONFLICT DO UPDATE SET seen = excluded.seen",
                    (digest, self._run),
                )
            query = f"SELECT COUNT(*) FROM results WHERE seen = ? AND {_UNDONE}"
            return Expected(rows, sqlite.execute(query, (self._run,)).fetchone()[0])

    def cost(self) -> float:
        """Returns the cost of all results together, as far as it is known."""
        with self._used() as sqlite:
            query = "SELECT TOTAL(json_extract(columns, '$.rarr_cost')) FROM results"
            return float(sqlite.execute(query).fetchone()[0])

    def start(self, digest: bytes) -> bool:
        """Notes that this run starts the row; False if it has done so before, or the row has its result."""
        change = f"UPDATE results SET started = ?1 WHERE digest = ?2 AND started IS NOT ?1 AND {_UNDONE}"
        with self._used(writing=True) as sqlite:
            return bool(sqlite.execute(change, (self._run, digest)).rowcount)

    def add(self, digest: bytes, columns: Mapping[str, Any], error: str) -> None:
        """Stores the result of a row, in place of an earlier one."""
        change = "UPDATE results SET columns = ?, error = ? WHERE digest = ?"
        with self._used(writing=True) as sqlite:
            sqlite.execute(change, (json_text(dict(columns)), error, digest))

    def columns(self, digest: bytes) -> dict[str, Any] | None:
        """Returns the columns of a result, also of one with an error; None: the row was not worked on."""
        with self._used() as sqlite:
            row = sqlite.execute("SELECT columns FROM results WHERE digest = ?", (digest,)).fetchone()
        return json.loads(row[0]) if row and row[0] else None

    def close(self) -> None:
        """Closes the file."""
        self._database.close()

    @contextmanager
    def _used(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        """Lends the connection, and turns an error of SQLite into an `InputError` that names the cure."""
        try:
            with self._database.transaction() if writing else self._database.used() as sqlite:
                yield sqlite
        except sqlite3.Error as error:
            raise InputError(
                f"{self._path} cannot be used ({error}): correct that, such as a full disk, and run again,"
                " which continues"
            ) from None
