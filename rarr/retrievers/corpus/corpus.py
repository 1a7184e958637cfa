"""Searches the user's own documents. Builds or updates the index of their passages before the search."""

import asyncio
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple, Self

from filelock import FileLock
from tantivy import IndexWriter, Query, Searcher

from rarr.errors import InputError, RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus import passage_index as index
from rarr.retrievers.corpus.chunking import windows
from rarr.retrievers.corpus.index_words import query_stems
from rarr.retrievers.extract.documents import UnreadableError
from rarr.retrievers.extract.files import KINDS, MOST_BYTES, TOO_LARGE, extract, file_kind
from rarr.tools.concurrency import require_awaited, work
from rarr.tools.storage.files import make_private, make_private_folder, write_whole
from rarr.valid_unicode import valid

Progress = Callable[[int, int], None]
"""A function that is called after each file, with the number of files done and the number of all files."""
PASSAGES_PER_DOCUMENT = 8
"""The most passages of one document that a search returns."""

_MOST_PASSAGES = 10_000  # the most passages that one search returns
_HEAP, _THREADS = 200_000_000, 2  # the bytes of memory and the threads of the index writer
_MOST_NOTES = 20  # the most notes of one file
# Files of these kinds are skipped with a warning. Files of other unknown kinds are ignored silently.
_UNREAD_KINDS = (".doc", ".ppt", ".pptx", ".xls", ".xlsx", ".odt", ".odp", ".ods", ".rtf", ".epub")


class Corpus(index.IndexReader):
    """A retriever over an index on disk. `skipped`: pairs (file, message) about unread text."""

    def __init__(self, folder: Path, window: int, corpus_path: Path | None = None) -> None:
        """The sources of passages begin with `corpus_path`. None stands for the path of the last build."""
        super().__init__(folder, window)
        self._corpus_path, self.is_built = corpus_path or Path(self.manifest.shown), corpus_path is None
        self.skipped = self.manifest.unread_files(self._corpus_path)

    @classmethod
    def open(cls, path: Path, *, home: Path, window: int, progress: Progress | None = None) -> Self:
        """Opens the corpus at `path`: an index that the user built, a folder of documents, or one document.

        For documents, builds or updates an index under `home`. Waits while another process builds this index.
        Raises `InputError` if nothing can be searched, or if the index cannot be written.
        """
        with suppress(RuntimeError):  # the path names an unknown user: `resolved_path` reports this
            path = path.expanduser()
        where = resolved_path(path)
        if index.is_index(where):
            return cls(path, window)
        key = hashlib.blake2b(f"{where}\n{window}".encode(errors="surrogateescape")).hexdigest()[:32]
        folder = home.expanduser() / "indexes" / key
        build_index(path, folder, window=window, private=True, progress=progress)
        return cls(folder, window, path)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns the best passages for `query` from at most `k` documents, best first.

        Returns at most `PASSAGES_PER_DOCUMENT` passages of each document, and [] if `query` has no word.
        Raises `RetrievalError` if the index cannot be searched.
        """
        cure = f"delete the index {str(self.folder)!r} and build it again"
        with index.raise_as(f"the corpus cannot be searched ({{}}): {cure}", RetrievalError):
            # Searches run in parallel threads. Reading passages in parallel would not be faster: one thread.
            return await work(self._passages_of_hits, *await asyncio.to_thread(self._find_hits, query, k))

    async def extracted(self, url: str) -> str | None:
        """Returns the current text of the file or record with the source `url`; None if it does not exist."""
        return await asyncio.to_thread(self._current_text, url)

    def changed_files(self) -> list[str]:
        """Returns files that changed or vanished after the build. [] if the corpus is not on this machine."""
        root, changed = Path(self.manifest.root), list[str]()
        with suppress(OSError):
            for name, file in self.manifest.files.items() if root.exists() else ():
                path = root / name
                facts = path.stat() if path.exists() else None
                if facts is None or (facts.st_size, facts.st_mtime_ns) != (file.size, file.mtime_ns):
                    changed.append(path.as_posix())
        return changed

    def _find_hits(self, query: str, k: int) -> tuple[Searcher, list[index.Hit]]:
        searcher, words = self.searcher(), query_stems(query)
        return searcher, _hits_of_best_documents(searcher, words, k) if words and k > 0 else []

    def _passages_of_hits(self, searcher: Searcher, hits: Sequence[index.Hit]) -> list[Passage]:
        root, now = self._corpus_path, datetime.now(UTC)
        made = [(-it.score, _passage(index.stored_fields(searcher, it), it.document[1], root)) for it in hits]
        # The engine may order equal scores differently after each build. This order is always the same.
        made.sort(key=lambda pair: (pair[0], pair[1].source, pair[1].start))
        return [passage.model_copy(update={"retrieved_at": now}) for _, passage in made]

    def _current_text(self, source: str) -> str | None:
        file, _, item = source.rpartition("#")
        for where, wanted in ((source, "0"), (file, item)):
            if path := self._path_by_source.get(where):
                with suppress(UnreadableError):
                    documents = extract(path, lambda _: None)
                    return "".join(each.text for each in documents if str(each.item) == wanted) or None
        return None

    @cached_property
    def _path_by_source(self) -> dict[str, Path]:
        paths = (self._corpus_path / name for name in self.manifest.files)
        return {valid(path.as_posix()): path.expanduser() for path in paths}


@lru_cache(maxsize=4096)  # sentences of one text often find the same passages
def _passage(stored: bytes, item: int, corpus_path: Path) -> Passage:
    facts = json.loads(stored)
    source = (corpus_path / facts.pop("file")).as_posix() + (f"#{item}" if item else "")
    return Passage(**{**facts, "source": facts["source"] or source, "retrieved_at": datetime.now(UTC)})


def _hits_of_best_documents(searcher: Searcher, words: Sequence[str], k: int) -> list[index.Hit]:
    """Returns the best hits of each of the `k` best documents. Hits with equal scores are ordered by place.

    If fewer than `k` documents are found, searches again without the documents that have enough hits. If a
    search reached its limit of hits, it may lack hits of the lowest score. This score is then left out.
    """
    documents, full = dict[tuple[int, int], list[index.Hit]](), list[tuple[int, int]]()
    limit = k * PASSAGES_PER_DOCUMENT * 2
    while True:
        hits, found = index.best_hits(searcher, words, limit, full), dict[tuple[int, int], list[index.Hit]]()
        is_whole = len(hits) < limit or limit >= _MOST_PASSAGES
        kept = [hit for hit in hits if is_whole or hit.score > hits[-1].score]
        for hit in sorted(kept or hits, key=lambda hit: (-hit.score, hit.document, hit.start)):
            found.setdefault(hit.document, []).append(hit)
        documents |= found
        if len(documents) >= k or len(hits) < limit:
            best = [each[:PASSAGES_PER_DOCUMENT] for each in documents.values()]
            return [hit for hits in best[:k] for hit in hits]
        more = [it for it in found if len(found[it]) >= PASSAGES_PER_DOCUMENT and kept]
        full, limit = full + more, limit if more else min(4 * limit, _MOST_PASSAGES)


class File(NamedTuple):
    """A file of a corpus. `name`: its path inside the corpus, with slashes; "" if the corpus is one file."""

    name: str
    path: Path
    size: int
    mtime_ns: int


def scan(path: Path) -> tuple[list[File], list[tuple[str, str]]]:
    """Returns the files of the corpus at `path` in a stable order, and (file, reason) for each skipped file.

    Hidden files, folders with an index and files of unknown kinds are left out silently. A link is followed
    only to a file inside the corpus. Other links could lead to any file of this machine, and links to folders
    could form a circle. Raises `InputError` if nothing can be read.
    """
    root, files, skipped = resolved_path(path), list[File](), list[tuple[str, str]]()
    for name, found in _corpus_entries(path) if root.is_dir() else [("", path)]:
        file = found if isinstance(found, str) else _file_or_reason(name, found, root)
        if isinstance(file, File):
            files.append(file)
        elif file:
            skipped.append((name.encode(errors="backslashreplace").decode(), file))
    if not files:
        name, reason = skipped[0] if skipped else ("", f"it holds none of {', '.join(KINDS)}")
        told = f"nothing to read in corpus {str(path)!r} ({name or path}: {reason})"
        raise InputError(f"{told}: give another path")
    return files, skipped


def resolved_path(path: Path) -> Path:
    """Returns `path` without symbolic links. Raises `InputError` if it does not exist or cannot be read."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:  # a missing or forbidden path, a circle of links
        why = f"cannot be read ({getattr(error, 'strerror', None) or error})"
        cure = "give a folder, a file or a built index"
        if (shown := re.sub("^(https?:)/", r"\1//", str(path))) != str(path):
            why, cure = "is an address", "give the file of the saved page, or its text in sources"
        raise InputError(f"corpus {shown!r} {why}: {cure}") from None


def _corpus_entries(root: Path) -> Iterator[tuple[str, Path | str]]:
    failed = list[OSError]()
    for where, folders, files in os.walk(root, onerror=failed.append):
        here = Path(where)
        if here != root and any(file.startswith(index.FILE_PREFIX) for file in files):  # an index
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


def _file_or_reason(name: str, path: Path, root: Path) -> File | str:
    """Returns the file to read, or the reason to skip it; "" for a file of an unknown kind."""
    if path.suffix.lower() in _UNREAD_KINDS:
        return "files of its kind are not read: save it as .docx, .pdf, .csv or text"
    if not file_kind(path.name):
        return ""
    try:
        name.encode()
        if name and path.is_symlink() and not path.resolve(strict=True).is_relative_to(root):
            return "a link that leads out of the corpus is not followed"
        facts = path.stat()
    except UnicodeEncodeError:
        return "its name is not Unicode: rename it"
    except (OSError, RuntimeError) as error:  # forbidden, or a link to nowhere, or a circle of links
        return f"it cannot be read ({getattr(error, 'strerror', error)})"
    if not stat.S_ISREG(facts.st_mode):
        return "it is not a regular file"
    return TOO_LARGE if facts.st_size > MOST_BYTES else File(name, path, facts.st_size, facts.st_mtime_ns)


class IndexReport(NamedTuple):
    """The result of a build. `documents` and `passages` are counts of the whole index."""

    documents: int
    passages: int
    read: int
    unchanged: int
    removed: int
    skipped: list[tuple[str, str]]  # (file, reason) for each file that cannot be searched
    notes: list[tuple[str, str]]  # (file, message) about unread parts and guessed encodings


def build_index(
    path: Path, out: Path, *, window: int, private: bool = False, progress: Progress | None = None
) -> IndexReport:
    """Builds or updates the index of the corpus at `path` in the folder `out`.

    Does not read a file again if its size and time of change are the same. Replaces an index in `out` that is
    damaged, or was made with another window or version. Waits while another process builds the index. If
    `private`, only the owner can read the index; otherwise the umask decides who can. Raises `InputError` if
    `path` holds nothing to search, or if `out` cannot be written or holds other files.
    """
    files, skipped = scan(path)
    cure = "choose another folder, with -o, or RARR_HOME for the indexes that rarr keeps, or free space"
    failed = index.raise_as(f"index {str(out)!r} cannot be written ({{}}): {cure}")
    with failed, _locked_folder(out, private), closing(_Build(path, out, window)) as build:
        report = build.run(files, dict(skipped), progress)
    if not report.passages:
        why = next((f" ({file}: {reason})" for file, reason in [*report.notes, *report.skipped]), "")
        raise InputError(f"no file in corpus {str(path)!r} could be read{why}: repair it or give another")
    return report


class _Build:
    """One build of an index, while the caller holds its lock. Reads only new and changed files."""

    def __init__(self, path: Path, out: Path, window: int) -> None:
        self._path, self._out = path, out
        try:
            self._manifest = index.IndexReader(out, window).manifest
        except InputError:  # there is no index that can be updated
            shutil.rmtree(out / index.PASSAGES, ignore_errors=True)
            index.open_passages(out / index.PASSAGES, create=True)
            self._manifest = index.IndexManifest(window=window)
        root = str(path.resolve()).encode(errors="backslashreplace").decode()
        committed = json.loads((out / index.PASSAGES / "meta.json").read_bytes())["opstamp"]
        if self._manifest.commit != int(committed) or self._manifest.root not in ("", root):
            # The manifest does not fit the stored passages, or the index is of another corpus.
            self._manifest.files = {}
            self._writer.delete_documents_by_query(Query.all_query())
        self._manifest.root = root

    def run(self, files: Sequence[File], skipped: dict[str, str], progress: Progress | None) -> IndexReport:
        """Puts new and changed files of the corpus into the index, and removes files that no longer exist."""
        known = self._manifest.files
        before, read = set(known), set[str]()
        for done, file in enumerate(files, start=1):
            old = known.get(file.name)
            if old is None or (old.size, old.mtime_ns) != (file.size, file.mtime_ns):
                try:
                    self._index_file(file)
                    read.add(file.name)
                except UnreadableError as problem:
                    skipped[file.name] = str(problem)
            if progress:
                progress(done, len(files))
        for name in known.keys() - ({file.name for file in files} - skipped.keys()):
            self._remove_file(name)
        self._manifest.shown = valid(self._path.as_posix())
        self._manifest.skipped = list(skipped.items())
        if "_writer" in vars(self):
            self._manifest.commit = self._writer.commit()
        write_whole(self._out / index.MANIFEST, self._manifest.model_dump_json())
        searched = {name for name, file in known.items() if file.documents}
        unread = self._manifest.unread_files(self._path)
        return IndexReport(
            documents=sum(file.documents for file in known.values()),
            passages=sum(file.passages for file in known.values()),
            read=len(searched & read),
            unchanged=len(searched - read),
            removed=len(before - known.keys()),
            skipped=[it for it in unread if it[1].startswith(index.NOT_SEARCHED)],
            notes=[it for it in unread if not it[1].startswith(index.NOT_SEARCHED)],
        )

    def close(self) -> None:
        """Ends the threads of the index writer. Passages that were not committed are lost."""
        if "_writer" in vars(self):
            self._writer.wait_merging_threads()

    def _index_file(self, file: File) -> None:
        """Replaces the passages of `file` in the index. Raises `UnreadableError` if a later try may work."""
        now, notes = index.IndexedFile(size=file.size, mtime_ns=file.mtime_ns), list[str]()
        self._remove_file(file.name)
        try:
            for document in extract(file.path, notes.append):
                now.documents += document.start == 0
                for window in windows(document.text, window=self._manifest.window):
                    require_awaited()
                    self._writer.add_document(index.passage_row(file.name, document, window))
                    now.passages += 1
        except UnreadableError as problem:
            if not problem.lasting:
                self._remove_file(file.name)
                raise
            notes.append(f"{'the rest is ' if now.documents else ''}{index.NOT_SEARCHED}{problem}")
        if (more := len(notes) - _MOST_NOTES) > 0:
            notes[_MOST_NOTES:] = [f"and {more} more like this"]
        now.notes = tuple(notes)
        self._manifest.files[file.name] = now

    def _remove_file(self, name: str) -> None:
        self._writer.delete_documents_by_query(index.file_query(name))
        self._manifest.files.pop(name, None)

    @cached_property
    def _writer(self) -> IndexWriter:
        """The writer of the index. It is made at its first use, because most builds find nothing new."""
        writer = index.open_passages(self._out / index.PASSAGES).writer(_HEAP, _THREADS)
        writer.garbage_collect_files()  # removes files of a killed build: their names are used again
        return writer


@contextmanager
def _locked_folder(out: Path, private: bool) -> Iterator[None]:
    if private:
        make_private_folder(out)
        out.chmod(0o700)  # an older version of rarr may have left it open to others
    out.mkdir(parents=True, exist_ok=True)
    ours = (index.FILE_PREFIX, index.PASSAGES)
    if foreign := [entry.name for entry in out.iterdir() if not entry.name.startswith(ours)]:
        cure = "give a new folder for the index"
        raise InputError(f"{str(out)!r} holds other files, such as {foreign[0]!r}: {cure}")
    with FileLock(lock := out / index.LOCK, mode=0o600 if private else -1):
        try:
            yield
        finally:
            if private:  # by the umask, others may read tantivy's files
                make_private(out)
            else:  # tantivy lets only the owner read some of its files
                with suppress(OSError):  # the files belong to somebody else
                    for path in (out / index.PASSAGES).glob("*.json"):
                        path.chmod(stat.S_IMODE(lock.stat().st_mode))
