"""Lists the files to read in a folder or file, and the files to skip."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rarr.errors import InputError
from rarr.retrievers.corpus.passage_index import MARK
from rarr.retrievers.extract.files import KINDS, MOST_BYTES, TOO_MUCH, kind

# They are skipped with a warning; files of other unknown kinds are ignored.
_UNREAD = (".doc", ".ppt", ".xls", ".odt", ".odp", ".ods", ".rtf", ".epub")


class File(NamedTuple):
    """A file of a corpus. `name` is its path in the corpus, with slashes; "" where the corpus is one file."""

    name: str
    path: Path
    size: int
    mtime_ns: int


def scan(path: Path) -> tuple[list[File], list[tuple[str, str]]]:
    """Lists the files of the corpus at `path` in a stable order, and those that are skipped, with reasons.

    Hidden files, folders of indexes and files of unknown kinds are left out silently.

    Links to files in the corpus are followed. Links out of the corpus are not: otherwise whoever fills the
    folder would choose which files of this machine are read. Links to folders are not followed either, since
    they may form a circle and would show one file under two names. Raises `InputError` where nothing can be
    read.
    """
    root, files, skipped = located(path), list[File](), list[tuple[str, str]]()
    for name, found in _walk(path) if root.is_dir() else [("", path)]:
        file = found if isinstance(found, str) else _file(name, found, root)
        if isinstance(file, File):
            files.append(file)
        elif file:
            skipped.append((name.encode(errors="backslashreplace").decode(), file))
    if not files:
        name, reason = skipped[0] if skipped else ("", f"it holds none of {', '.join(KINDS)}")
        raise InputError(
            f"nothing to read in corpus {str(path)!r} ({name or path}: {reason}): give another path"
        )
    return files, skipped


def located(path: Path) -> Path:
    """Resolves the links in `path`. Raises `InputError` where nothing is there."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:  # missing or refused; links in a circle; not a path
        why = f"cannot be read ({getattr(error, 'strerror', None) or error})"
        cure = "give a folder, a file or a built index"
        if re.match("https?:/", str(path)):
            why, cure = "is an address", "give the file of the saved page, or its text in sources"
        raise InputError(f"corpus {str(path)!r} {why}: {cure}") from None


def _walk(root: Path) -> Iterator[tuple[str, Path | str]]:
    """Yields each file in a folder by its name in it, or instead why a folder is not entered."""
    failed = list[OSError]()
    for where, folders, files in os.walk(root, onerror=failed.append):
        here = Path(where)
        if here != root and any(file.startswith(MARK) for file in files):  # of an index
            folders.clear()
            continue
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        for folder in folders:
            if os.path.islink(here / folder):  # noqa: PTH114  # Path.is_symlink raises where it may not look
                yield (here / folder).relative_to(root).as_posix(), "links to folders are not followed"
        for file in sorted(file for file in files if not file.startswith(".")):
            yield (here / file).relative_to(root).as_posix(), here / file
    for error in failed:
        name = Path(error.filename).relative_to(root).as_posix()
        yield name, f"the folder cannot be read ({error.strerror})"


def _file(name: str, path: Path, root: Path) -> File | str:
    """Returns the file to read, or why it is skipped; "" for a file of an unknown kind."""
    if path.suffix.lower() in _UNREAD:
        return "files of its kind are not read: save it as .docx, .pdf or text"
    if not kind(path.name):
        return ""
    try:
        name.encode()
        if name and path.is_symlink() and not path.resolve(strict=True).is_relative_to(root):
            return "a link that leads out of the corpus is not followed"
        facts = path.stat()
    except UnicodeEncodeError:
        return "its name is not Unicode: rename it"
    except (OSError, RuntimeError) as error:  # refused, or links that lead nowhere or in a circle
        return f"it cannot be read ({getattr(error, 'strerror', error)})"
    if not stat.S_ISREG(facts.st_mode):
        return "it is not a regular file"
    return TOO_MUCH if facts.st_size > MOST_BYTES else File(name, path, facts.st_size, facts.st_mtime_ns)
