"""Recognises a damaged SQLite file, and sets it aside, so that a new file can take its place."""

import sqlite3
from contextlib import closing
from pathlib import Path

from filelock import FileLock

_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_WAIT_S = 10.0


def is_damage(error: BaseException) -> bool:
    """Does SQLite raise this error, or the cause of this error, for a file whose content is damaged?"""
    reason = error if isinstance(error, sqlite3.Error) else error.__cause__
    return (getattr(reason, "sqlite_errorcode", 0) & 0xFF) in _CODES  # the rest are details


def set_aside(path: Path) -> Path | None:
    """Renames a damaged file to NAME.damaged, which replaces an earlier file of that name, and returns it.

    None if the file is sound, such as a new file that another process has put in its place. Raises `OSError`.
    """
    aside = path.with_name(f"{path.name}.damaged")
    with FileLock(f"{path}.lock", timeout=_WAIT_S, mode=0o600):  # processes open the file under this lock
        if not path.exists() or _is_sound(path):
            return None
        path.replace(aside)
        for log in (Path(f"{path}-wal"), Path(f"{path}-shm")):
            log.unlink(missing_ok=True)
    return aside


def _is_sound(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as sqlite:
            return bool(sqlite.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        raise OSError(str(error)) from error  # such as a lock that another process holds
