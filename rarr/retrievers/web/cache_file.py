"""Reads, writes and prunes the SQLite file of a cache."""

import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rarr.tools.storage.database import Database, Schema

SCHEMA = Schema(
    noun="cache",
    name=0x72617272,  # "rarr" in ASCII
    format=1,
    tables="""
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY,  -- grows, so that the lowest are the oldest
            digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, stored_at REAL NOT NULL, value BLOB NOT NULL
        );
        CREATE INDEX by_age ON entries (kind, stored_at);
    """,
)

_AT_ONCE = 200  # rows of one transaction that removes entries, so that others can write in between
_LESS = 0.9  # of the allowed bytes: the size at which removing stops


class CacheRow(NamedTuple):
    """One entry. `digest` identifies its kind and key; `stored_at` is in seconds since 1970."""

    digest: bytes
    kind: str
    stored_at: float
    value: bytes


class CacheFile(Database):
    """The SQLite file that holds the entries of a cache, with compressed values."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, SCHEMA)

    def read(self, digests: Sequence[bytes]) -> tuple[dict[bytes, CacheRow], sqlite3.DatabaseError | None]:
        """Returns the undamaged entries by digest, and the error of a damaged entry, or None."""
        query = "SELECT digest, kind, stored_at, value FROM entries WHERE digest = ?"
        with self.used() as sqlite:
            packed = [row for digest in digests for row in sqlite.execute(query, (digest,))]
        rows, damage = {}, None
        for digest, kind, at, value in packed:
            try:
                rows[digest] = CacheRow(digest, kind, at, zlib.decompress(value))
            except (zlib.error, TypeError) as error:
                damage = sqlite3.DatabaseError(f"a value in it is damaged: {error}")
        return rows, damage

    def write(self, rows: Iterable[CacheRow]) -> None:
        """Writes all rows or none. They replace the rows with the same digests."""
        packed = [row._replace(value=zlib.compress(row.value)) for row in rows]
        with self.transaction() as sqlite:
            sqlite.executemany(
                "REPLACE INTO entries (digest, kind, stored_at, value) VALUES (?, ?, ?, ?)", packed
            )

    def prune(self, since: Mapping[str, float], max_bytes: int) -> None:
        """Removes entries stored before their kind's `since`. Above `max_bytes`, removes the oldest to 90%.

        Their space is used again: the file itself does not shrink.
        """
        for kind, oldest in since.items():
            while self._remove("WHERE kind = ? AND stored_at < ? ORDER BY stored_at", (kind, oldest)):
                pass
        if self.size() > max_bytes:
            while self.size() > max_bytes * _LESS and self._remove("ORDER BY id", ()):
                pass

    def _remove(self, which: str, values: Sequence[str | float]) -> int:
        """Removes at most 200 of the entries that the SQL clause `which` selects, and returns how many."""
        query = f"DELETE FROM entries WHERE id IN (SELECT id FROM entries {which} LIMIT {_AT_ONCE})"
        with self.transaction() as sqlite:
            return sqlite.execute(query, values).rowcount
