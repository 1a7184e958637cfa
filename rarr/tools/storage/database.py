"""Gives access to a SQLite file of this package, which many processes and threads read and write at once.

It must lie on a local disk: write-ahead logging needs memory that all its processes share.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from weakref import WeakSet

from filelock import FileLock

from rarr.errors import InputError
from rarr.tools.storage.files import private_file, private_folder

BUSY_S = 5.0  # seconds to wait for another process that writes; each write takes milliseconds
_OPENING_S = 10.0


class Schema(NamedTuple):
    """Describes a kind of SQLite file. `noun` is its name in errors; the statements `tables` make its tables.

    `name` is SQLite's application_id, which distinguishes these files from files of other programs, and
    `format` is the version of the tables.
    """

    noun: str
    name: int
    format: int
    tables: str


class Database:
    """One connection to a SQLite file, opened at once; the first use after `close` opens it again.

    Every use may raise `sqlite3.Error`, and `InputError` where the file cannot be opened.
    """

    def __init__(self, path: Path, schema: Schema) -> None:
        self._path, self._schema = path, schema
        # Two threads cannot share a transaction. A fork holds the lock, and may collect files while it does.
        self.lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        with _forking:
            _files.add(self)
        with self.used():
            pass

    def close(self) -> None:
        with self.lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __del__(self) -> None:  # Python warns about connections that nobody closed
        self.close()

    @contextmanager
    def used(self) -> Iterator[sqlite3.Connection]:
        """Yields the connection, opened if needed. No other thread can use it during the block."""
        with self.lock:
            if self._connection is None:
                self._connection = _opened(self._path.absolute(), self._schema)
            yield self._connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yields the connection in a transaction: if the block raises, nothing that it wrote is stored."""
        with self.used() as sqlite:
            sqlite.execute("BEGIN IMMEDIATE")
            try:
                yield sqlite
                sqlite.execute("COMMIT")
            except BaseException:
                if sqlite.in_transaction:  # a full disk may have ended it already
                    sqlite.execute("ROLLBACK")
                raise


# After a fork, SQLite believes that the child holds the file's locks, which it does not, and an open file
# gets damaged. So every file is closed before a fork, and both processes open it again when they need it.
_files: WeakSet[Database] = WeakSet()
_forking = threading.Lock()
_held: list[Database] = []


def _close_all() -> None:
    _forking.acquire()
    _held.extend(_files)
    for file in _held:
        file.lock.acquire()
        file.close()


def _release_all() -> None:
    while _held:
        _held.pop().lock.release()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_all, after_in_parent=_release_all, after_in_child=_release_all)


def _opened(path: Path, schema: Schema) -> sqlite3.Connection:
    """Opens or makes the file; a file that may not be written is opened for reading.

    Raises `InputError`, and changes nothing, if it is another kind of file or cannot be opened.
    """
    try:
        if path.exists() and not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)):
            # If nobody has the file open, SQLite must be told that nobody writes to it.
            return _connected(path, schema, "ro" if Path(f"{path}-wal").exists() else "ro&immutable=1")
        private_folder(path.parent)
        # SQLite does not wait for others when it switches to write-ahead logging: they wait here.
        with FileLock(f"{path}.lock", timeout=_OPENING_S, mode=0o600):
            private_file(path)  # texts and the questions about them are private
            return _connected(path, schema, "rwc")
    except (sqlite3.Error, OSError) as error:  # filelock's Timeout is an OSError
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        cure = f"it is damaged or not a {schema.noun}: delete it, or give another path"
        if isinstance(error, OSError | sqlite3.OperationalError):
            cure = "give the path of a file in a folder that may be written"
        raise InputError(f"{schema.noun} {str(path)!r} cannot be opened ({reason}): {cure}") from None


def _connected(path: Path, schema: Schema, mode: str) -> sqlite3.Connection:
    """Connects, and makes the tables in an empty file. Raises `InputError` for another program or version."""
    uri = f"{path.as_uri()}?mode={mode}"
    sqlite = sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    queries = ("PRAGMA application_id", "PRAGMA user_version", "SELECT COUNT(*) FROM sqlite_master")
    try:
        name, version, tables = (sqlite.execute(query).fetchone()[0] for query in queries)
        if name == 0 and tables == 0:
            path.chmod(0o600)
            sqlite.execute("PRAGMA journal_mode = WAL")  # readers and a writer do not wait for each other
            own = f"PRAGMA application_id = {schema.name}; PRAGMA user_version = {schema.format};"
            sqlite.executescript(f"BEGIN IMMEDIATE; {schema.tables}; {own} COMMIT;")
        elif name != schema.name:
            of = f"{str(path)!r} is a database of another program, not a {schema.noun}"
            raise InputError(f"{of}: give another path")
        elif version != schema.format:
            made = f"{schema.noun} {str(path)!r} was made by another version of rarr"
            raise InputError(f"{made}: delete it, or give another path")
        # A crash of the machine may then cost the last entries, but never the file.
        sqlite.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        sqlite.close()
        raise
    return sqlite
