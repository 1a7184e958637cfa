"""Writes files that a crash cannot damage: whole files at once, or line by line; makes files private."""

import os
import shutil
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from rarr.errors import InputError


def write_whole(path: Path, content: str | Iterable[bytes]) -> None:
    """Replaces the content of `path` by a text in UTF-8, or by lines. Raises `OSError`.

    The lines may be read from the old file, which stays until the new file is complete.
    """
    with replacing(path) as part, part.open("wb") as file:
        file.writelines([content.encode()] if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a path to write to. After the block, the new file replaces `path`, with the same access rights.

    If the block raises an error, the new file is removed. Raises `OSError`.
    """
    part = path.with_name(path.name + ".part")
    if path.exists():
        part.touch()
        shutil.copymode(path, part)
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
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_private_folder(path: Path) -> None:
    """Makes the folder `path` and its missing parents, with access for the owner alone. Raises `OSError`."""
    for folder in reversed([parent for parent in (path, *path.parents) if not parent.is_dir()]):
        folder.mkdir(mode=0o700, exist_ok=True)


def make_private(folder: Path) -> None:
    """Removes all access to `folder` and its content, except the access of the owner."""
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # a reader may remove its own files meanwhile
            mode = path.lstat().st_mode
            if mode & 0o077 and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & 0o700)


@contextmanager
def as_input_error(path: Path) -> Iterator[None]:
    """Turns an `OSError` of the block into an `InputError`. Work done before the error is kept."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        cure = "remove the cause and run again, which continues the work"
        raise InputError(f"{path} cannot be written ({why}): {cure}") from None


@contextmanager
def lock_file(lock: Path, claimed: str) -> Iterator[None]:
    """Holds the file `lock` alone during the block. Makes its folder if the folder is missing.

    Raises `InputError` with the message `claimed` at once if another process holds the file.
    """
    with as_input_error(lock.parent):
        lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            held = FileLock(lock).acquire(timeout=0)
        except Timeout:
            raise InputError(claimed) from None
    with held:
        yield


def repaired_lines(path: Path) -> Iterator[bytes]:
    """Yields the lines of a file; removes an incomplete last line from the file. A missing file is empty."""
    if not path.exists():
        return
    with as_input_error(path.parent):
        file = path.open("r+b")
    with file:
        whole = 0
        for line in file:
            if not line.endswith(b"\n"):
                file.truncate(whole)
                return
            whole += len(line)
            yield line


class LineAppender:
    """Appends lines to a file from any thread. If the process is killed, no added line is lost.

    With `synced`, a crash of the machine loses no line either, at several milliseconds for each line.
    """

    def __init__(self, path: Path, *, synced: bool = True) -> None:
        self._path, self._synced, self._lock = path, synced, threading.Lock()
        with as_input_error(path.parent):
            self._file = path.open("ab", buffering=0)
            sync_folder(path.parent)

    def append_line(self, line: bytes) -> int:
        """Appends `line`, which has its line end. Returns its offset, or -1 if the file is closed."""
        left = memoryview(line)
        with self._lock, as_input_error(self._path.parent):
            if self._file.closed:
                return -1
            place = self._file.seek(0, os.SEEK_END)
            try:
                while left:
                    left = left[os.write(self._file.fileno(), left) :]
                if self._synced:
                    os.fsync(self._file.fileno())
            except BaseException:
                self._file.truncate(place)  # no other line may follow half of this line
                raise
            return place

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._file.close()
