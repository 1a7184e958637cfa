"""Files and databases are there as a whole, whatever interrupts their writing."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.tools.storage.database import Database, Schema
from rarr.tools.storage.files import Appending, locked, whole_lines, write_whole

SCHEMA = Schema("note file", 77, 1, "CREATE TABLE notes (text TEXT);")
ANOTHER_PROCESS = """
import sqlite3, sys
sqlite = sqlite3.connect(sys.argv[1])
sqlite.execute("INSERT INTO notes VALUES ('of another process')")
sqlite.commit()
sqlite.close()
"""


def test_failed_writing_keeps_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "f", "zwei é\n")

    def full(handle: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "f", "two\n")
    assert (tmp_path / "f").read_bytes() == "zwei é\n".encode()


def test_lines_are_added_whole_and_an_incomplete_last_line_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "f", os.write
    assert list(whole_lines(path)) == []
    path.write_bytes(b"one\nthr")
    assert list(whole_lines(path)) == [b"one\n"]
    monkeypatch.setattr(os, "write", lambda handle, line: write(handle, line[:2]))
    with Appending(path) as lines:
        lines.add(b"three\n")
    lines.add(b"late\n")
    assert path.read_bytes() == b"one\nthree\n"


def test_lock_is_exclusive(tmp_path: Path) -> None:
    lock = tmp_path / "new" / "lock"
    for _ in range(2):
        with locked(lock, "in use"), pytest.raises(InputError, match="in use"), locked(lock, "in use"):
            pass


@pytest.mark.parametrize("openings", [1, 3])
def test_another_process_does_not_delete_the_log_of_an_open_database(tmp_path: Path, openings: int) -> None:
    """SQLite deletes the write-ahead log with the last connection, known by the locks on the file."""
    path = tmp_path / "notes.sqlite"
    databases = [Database(path, SCHEMA) for _ in range(openings)]
    for database in databases:
        with database.transaction() as sqlite:
            sqlite.execute("INSERT INTO notes VALUES ('before')")
        subprocess.run([sys.executable, "-c", ANOTHER_PROCESS, str(path)], check=True)
        assert Path(f"{path}-wal").exists()
        with database.transaction() as sqlite:
            sqlite.execute("INSERT INTO notes VALUES ('after')")
    for database in databases:
        database.close()
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert whole.execute("SELECT COUNT(*) FROM notes").fetchone() == (3 * openings,)
