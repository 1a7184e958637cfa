"""Opens a SQLite file of this package, and makes it if it is missing."""

import os
import sqlite3
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from rarr.errors import InputError
from rarr.tools.storage.atomic_files import private_file, private_folder

BUSY_S = 5.0  # seconds to wait for another process that writes; each write takes milliseconds
_OPENING_S = 10.0


class Schema(NamedTuple):
    """Describes a kind of SQLite file. `noun` is its name in errors; the statements `tables` make its tables.

    `name` is SQLite's application_id, which tells these files from the files of others, and `format` is the
    version of the tables.
    """

    noun: str
    name: int
    format: int
    tables: str


def open_database(path: Path, schema: Schema) -> sqlite3.Connection:
    """Opens or makes the file; a file that may not be written is opened for reading.

    Raises `InputError`, and changes nothing, if it is another kind of file or cannot be opened.
    """
    try:
        return _opened(path.absolute(), schema)
    except (sqlite3.Error, OSError) as error:  # filelock's Timeout is an OSError
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        cure = _cure(error, schema.noun)
        raise InputError(f"{schema.noun} {str(path)!r} cannot be opened ({reason}): {cure}") from error


def _opened(path: Path, schema: Schema) -> sqlite3.Connection:
    if path.exists() and not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)):
        # If nobody has the file open, SQLite must be told that nobody writes to it.
        return _connected(path, schema, "ro" if Path(f"{path}-wal").exists() else "ro&immutable=1")
    private_folder(path.parent)
    # SQLite does not wait for others when it switches to write-ahead logging: they wait here.
    with FileLock(f"{path}.lock", timeout=_OPENING_S, mode=0o600):
        private_file(path)  # texts and the questions about them are private
        return _connected(path, schema, "rwc")


def _connected(path: Path, schema: Schema, mode: str) -> sqlite3.Connection:
    uri = f"{path.as_uri()}?mode={mode}"
    sqlite = sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        _prepare(sqlite, path, schema)
    except BaseException:
        sqlite.close()
        raise
    return sqlite


def _prepare(sqlite: sqlite3.Connection, path: Path, schema: Schema) -> None:
    """Makes the tables in an empty file. Raises `InputError` for a file of another program or version."""
    name, version, tables = (
        sqlite.execute(query).fetchone()[0]
        for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT COUNT(*) FROM sqlite_master")
    )
    if name == 0 and tables == 0:
        path.chmod(0o600)
        sqlite.execute("PRAGMA journal_mode = WAL")  # readers and a writer do not wait for each other
        sqlite.executescript(_made(schema))
    elif name != schema.name:
        raise InputError(
            f"{str(path)!r} is a database of another program, not a {schema.noun}: give another path"
        )
    elif version != schema.format:
        raise InputError(
            f"{schema.noun} {str(path)!r} was made by another version of rarr:"
            " delete it, or give another path"
        )
    # A crash of the machine may then cost the last entries, but never the file.
    sqlite.execute("PRAGMA synchronous = NORMAL")


def _made(schema: Schema) -> str:
    return f"""
        BEGIN IMMEDIATE;
        {schema.tables}
        PRAGMA application_id = {schema.name};
        PRAGMA user_version = {schema.format};
        COMMIT;
    """


def _cure(error: Exception, noun: str) -> str:
    if isinstance(error, OSError | sqlite3.OperationalError):
        return "give the path of a file in a folder that may be written"
    return f"it is damaged or not a {noun}: delete it, or give another path"
