"""Opens the file of a cache, or makes it."""

import os
import sqlite3
from pathlib import Path

from filelock import FileLock

from rarr.errors import InputError

BUSY_S = 5.0  # to wait for another process that writes; each of its writes takes milliseconds
_OPENING_S = 10.0
_NAME = 0x72617272  # SQLite's application_id: "rarr" in ASCII
_FORMAT = 1

_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,  -- grows, so that the lowest are the oldest
    digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, stored_at REAL NOT NULL, value BLOB NOT NULL
);
CREATE INDEX by_age ON entries (kind, stored_at);
PRAGMA application_id = {_NAME};
PRAGMA user_version = {_FORMAT};
COMMIT;
"""


def open_cache(path: Path) -> sqlite3.Connection:
    """Raises `InputError` where this is no cache, or cannot be opened; such a file is left as it is."""
    try:
        return _opened(path.absolute())
    except (sqlite3.Error, OSError) as error:  # filelock's Timeout is an OSError
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"cache {str(path)!r} cannot be opened ({said}): {_cure(error)}") from error


def _opened(path: Path) -> sqlite3.Connection:
    if path.exists() and not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)):
        # Where nobody has it open, SQLite wants to be told that nobody writes.
        return _connected(path, "ro" if Path(f"{path}-wal").exists() else "ro&immutable=1")
    path.parent.mkdir(parents=True, exist_ok=True)
    # SQLite does not wait for others when it changes over to write-ahead logging: they wait here.
    with FileLock(f"{path}.lock", timeout=_OPENING_S):
        return _connected(path, "rwc")


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.as_uri()}?mode={mode}"
    sqlite = sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        _prepare(sqlite, path)
    except BaseException:
        sqlite.close()
        raise
    return sqlite


def _prepare(sqlite: sqlite3.Connection, path: Path) -> None:
    """Makes the tables in an empty file; else it has to be ours."""
    name, version, tables = (
        sqlite.execute(query).fetchone()[0]
        for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT COUNT(*) FROM sqlite_master")
    )
    if name == 0 and tables == 0:
        sqlite.execute("PRAGMA journal_mode = WAL")  # readers and a writer do not wait for each other
        sqlite.executescript(_TABLES)
    elif name != _NAME:
        raise InputError(f"{str(path)!r} is a database of something else, and no cache: give another path")
    elif version != _FORMAT:
        raise InputError(
            f"cache {str(path)!r} was made by another version of rarr: delete it, or give another"
        )
    # A crash of the machine may then cost the last entries, but never the file.
    sqlite.execute("PRAGMA synchronous = NORMAL")


def _cure(error: Exception) -> str:
    if isinstance(error, OSError | sqlite3.OperationalError):
        return "give the path of a file in a folder that may be written"
    return "it is damaged or no cache: delete it, or give another path"
