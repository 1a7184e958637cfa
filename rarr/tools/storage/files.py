"""Files that are there as a whole or not at all, whenever the process or the machine ends; private files."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Puts `text`, in UTF-8, in the place of what `path` holds. Raises `OSError` where that fails."""
    write_lines(path, [text.encode()])


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """As `write_whole`, with one line after another, which may come from `path` itself."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes the names in `folder` last; nothing to do on systems that cannot open folders."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def private_folder(path: Path) -> None:
    """Makes the folder `path`, and those above it that are missing, for its owner alone.

    Folders that are there stay as they are. Raises `OSError`.
    """
    for folder in reversed([one for one in (path, *path.parents) if not one.exists()]):
        folder.mkdir(mode=0o700, exist_ok=True)


def private_file(path: Path) -> None:
    """Makes an empty file for its owner alone, where there is none. Raises `OSError`."""
    # A file that is there is not opened: closing it would drop every lock that this process holds on it, and
    # SQLite would go on without them.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def make_private(folder: Path) -> None:
    """Takes `folder` and all that is in it from everybody but its owner, where they have it."""
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # a reader may remove what it made meanwhile
            mode = path.lstat().st_mode
            if mode & 0o077 and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & 0o700)
