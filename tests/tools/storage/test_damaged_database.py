"""A damaged database is set aside once, also where another process has found the damage before."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.tools.storage.damaged_database import is_damage, set_aside
from rarr.tools.storage.database import Database
from rarr.tools.storage.database_opening import Schema

SCHEMA = Schema("note file", 77, 1, "CREATE TABLE notes (text TEXT);")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite"


def test_damaged_file_is_renamed_and_its_logs_go(path: Path) -> None:
    path.write_bytes(b"A letter. " * 500)
    logs = [Path(f"{path}-wal"), Path(f"{path}-shm")]
    for log in logs:
        log.write_bytes(b"of the old file")
    assert set_aside(path) == path.with_name("notes.sqlite.damaged")
    assert path.with_name("notes.sqlite.damaged").read_bytes() == b"A letter. " * 500
    assert not any(file.exists() for file in (path, *logs))


def test_sound_file_stays(path: Path) -> None:
    Database(path, SCHEMA).close()
    before = path.read_bytes()
    assert set_aside(path) is None
    assert path.read_bytes() == before


def test_missing_file_is_not_made(path: Path) -> None:
    assert set_aside(path) is None
    assert not path.exists()


def test_error_of_a_damaged_file_is_told_from_others(path: Path) -> None:
    path.write_bytes(b"A letter. " * 500)
    with pytest.raises(InputError) as wrapped:
        Database(path, SCHEMA)
    assert is_damage(wrapped.value)
    with closing(sqlite3.connect(":memory:")) as sqlite, pytest.raises(sqlite3.Error) as other:
        sqlite.execute("SELECT * FROM nothing")
    assert not is_damage(other.value)
    assert not is_damage(InputError("a database of another program"))
