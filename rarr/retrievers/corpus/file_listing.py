"""Lists the files to read in a folder or file, and the files to skip."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rarr.errors import InputError
from rarr.retrievers.corpus.manifest import MANIFEST
from rarr.retrievers.extract.extracted_document import too_much
from rarr.retrievers.extract.files import KINDS, kind

_UNREAD = (".doc", ".ppt", ".xls", ".odt", ".odp", ".ods", ".rtf", ".epub")
"""Kinds of documents that are not read. They are skipped with a warning; other unknown kinds are ignored."""


class File(NamedTuple):
    """A file of a corpus. `name` is its path in the corpus, with slashes; "" where the corpus is one file."""

    name: str
    path: Path
    size: int
    mtime_ns: int


class Skip(NamedTuple):
    """A file that is not searched, or not completely. `file` is named as in `File`."""

    file: str
    reason: str


class Scan(NamedTuple):
    """The files to read, in a stable order, the skipped files, and the names of the ignored files."""

    files: list[File]
    skipped: list[Skip]
    ignored: list[str]


def scan(path: Path, max_bytes: int) -> Scan:
    """Lists the files of the corpus at `path`. Hidden files are left out silently. Files of unknown kinds are
    ignored. Files of more than `max_bytes` and files that cannot be read are skipped.

    Links to files in the corpus are followed. Links out of the corpus are not: otherwise whoever fills the
    folder would choose which files of this machine are read. Links to folders are not followed either, since
    they may form a circle and would show one file under two names. Raises `InputError` where nothing can be
    read.
    """
    root = located(path)
    result = Scan([], [], [])
    leaving: list[str] = []
    for name, candidate in _walk(path, result.skipped) if root.is_dir() else [("", path)]:
        if candidate.suffix.lower() in _UNREAD:
            result.skipped.append(
                _skip(name, "files of its kind are not read: save it as .docx, .pdf or text")
            )
        elif not kind(candidate.name):
            result.ignored.append(name.encode(errors="backslashreplace").decode())
        elif name and _leads_out(candidate, root):
            leaving.append(name)
        else:
            _look(name, candidate, max_bytes, result)
    if leaving:
        why = "a link that leads out of the corpus is not followed"
        more = f" (links like this: {len(leaving)})" if len(leaving) > 1 else ""
        result.skipped.append(_skip(leaving[0], why + more))
    if not result.files:
        first = result.skipped[0] if result.skipped else None
        reason = f"{first.file or path}: {first.reason}" if first else f"it holds none of {', '.join(KINDS)}"
        raise InputError(
            f"nothing to read in corpus {str(path)!r} ({reason}): give a folder or file with text"
        )
    return result


def located(path: Path) -> Path:
    """Resolves the links in `path`. Raises `InputError` where nothing is there."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:  # missing or refused; links in a circle; not a path
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"corpus {str(path)!r} cannot be read ({reason}): give a folder, a file or a built index"
        ) from error


def _walk(root: Path, skipped: list[Skip]) -> Iterator[tuple[str, Path]]:
    def failed(error: OSError) -> None:
        skipped.append(
            _skip(_name(Path(error.filename), root), f"the folder cannot be read ({error.strerror})")
        )

    for where, folders, files in os.walk(root, onerror=failed):
        here = Path(where)
        if MANIFEST in files and here != root:  # the folder of an index
            folders.clear()
            continue
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        skipped.extend(
            _skip(_name(here / folder, root), "links to folders are not followed")
            for folder in folders
            if _is_link(here / folder)
        )
        for file in sorted(file for file in files if not file.startswith(".")):
            yield _name(here / file, root), here / file


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except OSError:  # the folder may be listed but not entered: its files are skipped later, each by itself
        return False


def _leads_out(path: Path, root: Path) -> bool:
    """True if `path` is a link to something outside `root`. A link to nothing is skipped elsewhere."""
    try:
        return path.is_symlink() and not path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _look(name: str, path: Path, max_bytes: int, result: Scan) -> None:
    """Adds one file to `result`: to the files to read, or to the skipped files."""
    try:
        facts = path.stat()
        name.encode()
    except OSError as error:
        broken = error.errno in (errno.ENOENT, errno.ELOOP)
        reason = "the link leads nowhere" if broken else f"it cannot be read ({error.strerror})"
    except UnicodeEncodeError:
        reason = "its name is not Unicode: rename it"
    else:
        if not stat.S_ISREG(facts.st_mode):
            reason = "it is not a regular file"
        elif facts.st_size > max_bytes:
            reason = f"it holds {too_much(max_bytes)}"
        else:
            result.files.append(File(name, path, facts.st_size, facts.st_mtime_ns))
            return
    result.skipped.append(_skip(name, reason))


def _skip(name: str, reason: str) -> Skip:
    """Makes a `Skip` whose name can be stored and printed, even if it is not Unicode."""
    return Skip(name.encode(errors="backslashreplace").decode(), reason)
