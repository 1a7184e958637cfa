"""Finds and reads the files that commands name: those to check, and those that hold evidence."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rarr.cli.streams import decoded, warn
from rarr.errors import InputError
from rarr.tools.text.wording import counted, shown

if TYPE_CHECKING:
    from rarr.agent.check import DocumentFile
    from rarr.records import Passage

KINDS = (".md", ".markdown", ".txt", ".text")
"""The endings of the files that are checked in a folder. A file that is named is checked whatever it is."""


def found_files(names: Sequence[str]) -> list[Path]:
    """Returns the files that `names` mean, in their order, each once.

    A folder means the Markdown and text files in it, at any depth, without hidden ones. Raises `InputError`
    for a name that means nothing.
    """
    found: dict[Path, Path] = {}
    for name in names:
        path = Path(name)
        try:
            there, files = os.path.lexists(path), list(_in_folder(path)) if path.is_dir() else [path]
        except (OSError, ValueError):  # too long for a name, or not a name
            there, files = False, []
        if not there:
            raise InputError(f"{shown(name)} does not exist: name a file or a folder")
        if not files:
            raise InputError(f"{shown(name)} holds no document: name a folder with files {', '.join(KINDS)}")
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def _in_folder(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            if not file.startswith(".") and file.lower().endswith(KINDS):
                yield Path(where, file)


def outside(files: Sequence[Path], corpus: Path) -> list[Path]:
    """Returns the files that are no part of the corpus, and warns of the others.

    Raises `InputError` if all of them are.
    """
    from rarr.retrievers.corpus.passage_index import is_index, read_manifest

    root = corpus.expanduser()
    if is_index(root):  # its documents are where it was built from
        root = Path(read_manifest(root).shown or root)
    left = [file for file in files if not file.resolve().is_relative_to(root.resolve())]
    if not left:
        why = f"all files to check are part of the corpus {corpus}, where each would confirm itself"
        raise InputError(f"{why}: name a corpus without them, or other files")
    if inside := len(files) - len(left):
        warn(f"{counted(inside, 'file')} left out as part of the corpus, where each would confirm itself")
    return left


def read_document(file: Path) -> "DocumentFile":
    """Reads a file as UTF-8 without a byte order mark; one that cannot be read keeps the reason."""
    from rarr.agent.check import DocumentFile

    name = file.as_posix()
    try:
        return DocumentFile(name, decoded(file.read_bytes(), "the file"))
    except OSError as error:
        why = f"the file cannot be read ({error.strerror}): allow it, or leave it out"
        return DocumentFile(name, unreadable=why)
    except InputError as error:
        return DocumentFile(name, unreadable=str(error))


def _warn_about(file: Path, line: str) -> None:
    warn(f"{file}: {line}")


def passages_of(files: Sequence[Path], max_file_mb: int) -> Iterator["Passage"]:
    """Yields the documents of the files, each as one passage. Raises `InputError` for an unreadable file."""
    from datetime import UTC, datetime

    from rarr.records import Passage
    from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
    from rarr.retrievers.extract.files import extract, kind

    for file in files:
        if file.is_dir():
            raise InputError(f"{file} is a folder: name its files, such as {file}/notes.md")
        if file.exists() and not kind(file.name):
            raise InputError(f"{file} has no known ending: give a text or document, such as a .txt or .pdf")
        try:
            for it in extract(file, max_file_mb * MEGABYTE, partial(_warn_about, file)):
                place = {"source": it.source or str(file), "title": it.title, "start": 0, "end": len(it.text)}
                dates = {"retrieved_at": datetime.now(UTC), "published_at": it.published_at}
                yield Passage(text=it.text, **place, **dates)
        except UnreadableError as error:
            raise InputError(f"{file} cannot be used: {error}: give the path of a text or document") from None
