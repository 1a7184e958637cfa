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
    """Replaces the content of `path` by a text, in UTF-8, or by lines, which may be read from it meanwhile.

    Raises `OSError` if that fails.
    """
    with replaced(path) as part, part.open("wb") as file:
        file.writelines([content.encode()] if isinstance(content, str) else content)


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yields the path of a file to write; after the block, it takes the place and the access of `path`.

    If the block raises, the file is removed. Raises `OSError`.
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


def private_folder(path: Path) -> None:
    """Makes the folder `path` and the missing folders above it, for their owner alone. Raises `OSError`."""
    for folder in reversed([parent for parent in (path, *path.parents) if not parent.is_dir()]):
        folder.mkdir(mode=0o700, exist_ok=True)


def make_private(folder: Path) -> None:
    """Removes the access of everybody but the owner from `folder` and everything in it."""
    for path in (folder, *folder.rglob("*")):
        with suppress(FileNotFoundError):  # a reader may remove its own files meanwhile
            mode = path.lstat().st_mode
            if mode & 0o077 and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & 0o700)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns an `OSError` of the block into an `InputError`. Everything done before the error stays done."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        cure = "correct that and run again, which continues from there"
        raise InputError(f"{path} cannot be written ({why}): {cure}") from None


@contextmanager
def locked(lock: Path, claimed: str) -> Iterator[None]:
    """Holds the file `lock` alone during the block. Its folder is made where it is missing.

    Raises `InputError` with the message `claimed` at once if another process holds it.
    """
    with writing(lock.parent):
        lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            held = FileLock(lock).acquire(timeout=0)
        except Timeout:
            raise InputError(claimed) from None
    with held:
        yield


def whole_lines(path: Path) -> Iterator[bytes]:
    """Yields the lines of a file; none if it is missing. Removes an incomplete last line from the file."""
    if not path.exists():
        return
    with writing(path.parent):
        file = path.open("r+b")
    with file:
        whole = 0
        for line in file:
            if not line.endswith(b"\n"):
                file.truncate(whole)
                return
            whole += len(line)
            yield line


class Appending:
    """Appends lines to a file from any thread. A killed process loses no line that was added.

    `synced`: nor does a crash of the machine, at several milliseconds a line.
    """

    def __init__(self, path: Path, *, synced: bool = True) -> None:
        self._path, self._synced, self._lock = path, synced, threading.Lock()
        with writing(path.parent):
            self._file = path.open("ab", buffering=0)
            sync_folder(path.parent)

    def add(self, line: bytes) -> int:
        """Appends a line, which must end with its line end, and returns the place where it begins.

        Does nothing after the file was closed, and returns -1.
        """
        left = memoryview(line)
        with self._lock, writing(self._path.parent):
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
