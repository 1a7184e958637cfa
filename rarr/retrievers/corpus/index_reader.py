"""Opens an index for searching. Readers see one consistent state, also while a build is under way."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tantivy import Searcher

from rarr.errors import InputError
from rarr.retrievers.corpus.manifest import FORMAT, MANIFEST, Manifest
from rarr.retrievers.corpus.tantivy_index import open_passages

PASSAGES = "passages"
"""The name of the folder that holds the tantivy index, inside the folder of a rarr index."""


class Snapshot(NamedTuple):
    """The index as one search sees it. `names` maps the id of each live file version to its file."""

    state: str
    searcher: Searcher
    names: dict[int, str]


class IndexReader:
    """An open index on disk, which gives searches a consistent snapshot. Many threads may use it."""

    def __init__(self, folder: Path, window: int, step: int) -> None:
        """Opens the index. Raises `InputError` if it is damaged, or has another window, step or version."""
        cure = f"delete the folder, or build it again: rarr index PATH -o {folder}"
        self.folder, self._lock = folder, threading.Lock()
        self._fixed = not os.access(folder, os.W_OK)  # then it stays as it was when it was opened
        with failures(lambda why: InputError(f"index {str(folder)!r} is damaged ({why}): {cure}")):
            self._open: Manifest | None = None
            self.facts = self._manifest.facts()
            _check(folder, self.facts, window, step)
            with _lockable(folder / PASSAGES, self._fixed) as passages:
                self._index = open_passages(passages)
                self._snapshot = self._taken()
            _, listed = self._manifest.totals()
            if self._snapshot.searcher.num_docs < listed:
                raise ValueError(
                    f"passages listed: {listed}, passages there: {self._snapshot.searcher.num_docs}"
                )

    def require_finished(self) -> None:
        """Raises `InputError` where a build was interrupted; the next build can still continue it."""
        if not self.facts.get("root"):  # a build records its root when it ends
            self.close()
            raise InputError(
                f"index {str(self.folder)!r} holds only a part of its corpus, because its build did not end:"
                f" finish it with rarr index PATH -o {self.folder}"
            )

    def snapshot(self) -> Snapshot:
        """Returns the current snapshot. Raises `sqlite3.Error`, `OSError` or `ValueError` if it cannot."""
        with self._lock:
            if not self._fixed and self._manifest.state() != self._snapshot.state:
                self._snapshot = self._taken()
            return self._snapshot

    def skipped(self) -> list[tuple[str, str]]:
        """Returns (name in the corpus, reason) of files that the last build did not read in full."""
        with self._lock:
            return self._manifest.skipped()

    def close(self) -> None:
        """Closes the manifest. The next use of the reader opens it again."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    @property
    def _manifest(self) -> Manifest:
        if self._open is None:
            self._open = Manifest(self.folder)
        return self._open

    def _taken(self) -> Snapshot:
        # Passages are committed before they become live and removed only after they are dead. So the searcher
        # has all passages of a state if that state still holds once the searcher has been made.
        while True:
            state = self._manifest.state()
            names = self._manifest.names()
            self._index.reload()
            searcher = self._index.searcher()
            if self._manifest.state() == state:
                return Snapshot(state, searcher, names)


@contextmanager
def _lockable(folder: Path, fixed: bool) -> Iterator[Path]:
    """Yields a folder in which tantivy can write its lock: `folder` itself.

    If `folder` is `fixed`, which means that it cannot be written, yields a temporary folder of links.
    """
    if not fixed:
        yield folder
        return
    with TemporaryDirectory(prefix="rarr-") as links:
        for file in folder.iterdir():
            if file.suffix != ".lock":
                Path(links, file.name).symlink_to(file.absolute())
        yield Path(links)


def is_index(path: Path) -> bool:
    """True if `path` is the folder of an index, complete or damaged."""
    try:
        return (path / MANIFEST).is_file()
    except OSError:  # the folder may not be entered: reading it as a corpus reports that
        return False


def place(corpus: Path, name: str) -> str:
    """Joins the path of a corpus and a file's name in it, with slashes. "" names the corpus itself."""
    return (corpus / name).as_posix() if name else corpus.as_posix()


@contextmanager
def failures(error: Callable[[str], Exception]) -> Iterator[None]:
    """Turns what SQLite, tantivy and the file system raise into `error(reason)`, the reason in one line."""
    try:
        yield
    except (sqlite3.Error, OSError, ValueError) as failure:
        raise error(" ".join(str(failure).split())[:200]) from failure
    except BaseException as failure:
        if type(failure).__name__ != "PanicException":  # tantivy's, on damaged files; it cannot be imported
            raise
        raise error("its passages cannot be read") from failure


def _check(folder: Path, facts: dict[str, str], window: int, step: int) -> None:
    if facts.get("format") != FORMAT:
        raise InputError(
            f"index {str(folder)!r} was made by another version of rarr: "
            f"delete the folder, or build it again: rarr index PATH -o {folder}"
        )
    made = (facts.get("window"), facts.get("step"))
    if made != (str(window), str(step)):
        raise InputError(
            f"index {str(folder)!r} holds windows of {made[0]} sentences at step {made[1]}, not {window} at "
            f"{step}: set window and step to its values, or build it again: rarr index PATH -o {folder}"
        )
