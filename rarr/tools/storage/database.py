"""Gives access to a SQLite file of this package, which many processes and threads read and write at once.

It must lie on a local disk: write-ahead logging needs memory that all its processes share.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakSet

from rarr.tools.storage.database_opening import Schema, open_database


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

    def size(self) -> int:
        """Counts the bytes of the file that are in use."""
        names = ("page_count", "freelist_count", "page_size")
        with self.used() as sqlite:
            pages, free, size = (sqlite.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
        return int((pages - free) * size)

    def __del__(self) -> None:  # Python warns about connections that nobody closed
        self.close()

    def wait(self, seconds: float) -> None:
        """Sets how long writes wait for another process that writes."""
        with self.used() as sqlite:
            sqlite.execute(f"PRAGMA busy_timeout = {1000 * seconds:.0f}")

    @contextmanager
    def used(self) -> Iterator[sqlite3.Connection]:
        """Yields the connection, opened if needed. No other thread can use it during the block."""
        with self.lock:
            if self._connection is None:
                self._connection = open_database(self._path, self._schema)
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
