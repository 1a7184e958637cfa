"""Reads and writes files of lines that a crash cannot damage: each line is on the disk before the next."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from rarr.errors import InputError
from rarr.tools.storage.atomic_files import sync_folder


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns an `OSError` of the block into an `InputError`. Everything done before the error stays done."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(
            f"{path} cannot be written ({why}): correct that and run again, which continues from there"
        ) from None


@contextmanager
def locked(lock: Path, claimed: str) -> Iterator[None]:
    """Holds the file `lock` alone during the block. Its folder is made where it is missing.

    Raises `InputError` with the message `claimed` at once if another process holds it.
    """
    held = FileLock(lock)
    with writing(lock.parent):
        lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            held.acquire(timeout=0)
        except Timeout:
            raise InputError(claimed) from None
    try:
        yield
    finally:
        held.release()


def whole_lines(path: Path) -> Iterator[bytes]:
    """Yields the lines of a file; none if it is missing. Removes an incomplete last line from the file."""
    whole = 0
    with writing(path.parent):
        try:
            file = path.open("r+b")
        except FileNotFoundError:
            return
    with file:
        for line in file:
            if not line.endswith(b"\n"):
                file.truncate(whole)
                return
            whole += len(line)
            yield line


class Appending:
    """Appends lines to a file from any thread. Each line is complete and on the disk when `add` returns."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        with writing(path.parent):
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            self._handle: int | None = os.open(path, flags, 0o666)
            sync_folder(path.parent)

    def add(self, line: bytes) -> None:
        """Appends a line, which must end with its line end. Does nothing after the file was closed."""
        left = memoryview(line)
        with self._lock, writing(self._path.parent):
            if self._handle is None:
                return
            while left:
                left = left[os.write(self._handle, left) :]
            os.fsync(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._handle is not None:
                os.close(self._handle)
            self._handle = None
