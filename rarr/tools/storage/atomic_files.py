"""Writes files completely or not at all, even if the machine stops; makes files and folders private."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Replaces the content of `path` by `text`, in UTF-8. Raises `OSError` if that fails."""
    write_lines(path, [text.encode()])


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Like `write_whole`, but takes lines with their line ends, which may be read from `path` meanwhile."""
    with replaced(path) as part, part.open("wb") as file:
        file.writelines(lines)


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yields the path of a file to write; after the block, it takes the place of `path`.

    If the block raises, the file is removed. Raises `OSError`.
    """
    part = path.with_name(path.name + ".part")
    try:
        yield part
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Syncs `folder` to the disk, so that no crash loses its file names. Does nothing on Windows."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def private_folder(path: Path) -> None:
    """Makes the folder `path` and the missing folders above it, for their owner alone.

    Existing folders stay as they are. Raises `OSError`.
    """
    for folder in reversed([parent for parent in (path, *path.parents) if not parent.exists()]):
        folder.mkdir(mode=0o700, exist_ok=True)


def private_file(path: Path) -> None:
    """Makes an empty file for its owner alone, unless it exists. Raises `OSError`."""
    # An existing file is not opened: closing it would drop every lock that this process holds on it, and
    # SQLite would continue without them.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def make_private(folder: Path) -> None:
    """Removes the access of everybody but the owner from `folder` and everything in it."""
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # a reader may remove its own files meanwhile
            mode = path.lstat().st_mode
            if mode & 0o077 and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & 0o700)
