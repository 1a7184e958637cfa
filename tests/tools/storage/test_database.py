"""A database keeps its locks while other connections, and other processes, come and go."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rarr.tools.storage.database import Database
from rarr.tools.storage.database_opening import Schema

SCHEMA = Schema("note file", 77, 1, "CREATE TABLE notes (text TEXT);")
ANOTHER_PROCESS = """
import sqlite3, sys
sqlite = sqlite3.connect(sys.argv[1])
sqlite.execute("INSERT INTO notes VALUES ('of another process')")
sqlite.commit()
sqlite.close()
"""


def add(database: Database, text: str) -> None:
    with database.transaction() as sqlite:
        sqlite.execute("INSERT INTO notes VALUES (?)", (text,))


@pytest.mark.parametrize("openings", [1, 2, 3])
def test_another_process_does_not_delete_the_log_of_an_open_database(tmp_path: Path, openings: int) -> None:
    """SQLite deletes the write-ahead log with the last connection, told by the locks on the file."""
    path = tmp_path / "notes.sqlite"
    databases = [Database(path, SCHEMA) for _ in range(openings)]
    for number, database in enumerate(databases):
        add(database, f"before {number}")
        subprocess.run([sys.executable, "-c", ANOTHER_PROCESS, str(path)], check=True)
        assert Path(f"{path}-wal").exists()
        add(database, f"after {number}")
    for database in databases:
        database.close()
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert whole.execute("SELECT COUNT(*) FROM notes").fetchone() == (3 * openings,)
