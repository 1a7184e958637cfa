"""Writes whole files or single lines so that a crash damages no file; locks files and makes them private."""

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
    """Replaces the content of `path` by a text, in UTF-8, or by lines of bytes. Raises `OSError`.

    The old file stays until the new file is complete, so that `content` may read lines from the old file.
    """
    with replacement_file(path) as part, part.open("wb") as file:
        file.writelines([content.encode()] if isinstance(content, str) else content)


@contextmanager
def replacement_file(path: Path) -> Iterator[Path]:
    """Yields the path of a new file. After the block, it replaces `path`, with the access rights of `path`.

    If the block raises an error, removes the new file, and `path` stays unchanged. Raises `OSError`.
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
    """Writes the file names of `folder` to the disk, so that no crash loses a file. No effect on Windows."""
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
        with suppress(FileNotFoundError):  # a process that reads the folder may remove a file meanwhile
            mode = path.lstat().st_mode
            if mode & 0o077 and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & 0o700)


@contextmanager
def as_input_error(path: Path) -> Iterator[None]:
    """Turns an `OSError` of the `with` block into an `InputError`: it names `path`, and says to run again."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        cure = "remove the cause and run again, which continues the work"
        raise InputError(f"{path} cannot be written ({why}): {cure}") from None


@contextmanager
def lock_file(lock: Path, claimed: str) -> Iterator[None]:
    """Locks the file `lock` during the `with` block against other processes. Makes a missing folder.

    If another process has locked the file, does not wait, and raises `InputError` with the message `claimed`.
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
    """Yields the lines of a file; none if there is no file. Removes an incomplete last line from the file."""
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

    If `synced` is true, a crash of the machine loses no line either; then a line takes some milliseconds.
    """

    def __init__(self, path: Path, *, synced: bool = True) -> None:
        self._path, self._synced, self._lock = path, synced, threading.Lock()
        with as_input_error(path.parent):
            self._file = path.open("ab", buffering=0)
            sync_folder(path.parent)

    def append_line(self, line: bytes) -> int:
        """Appends `line`, which must end with a newline. Returns its offset, or -1 if the file is closed."""
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
                self._file.truncate(place)  # removes half of a line, since other lines may follow
                raise
            return place

    def close(self) -> None:
        with self._lock:
            self._file.close()
