"""Builds the index of a corpus on disk or in memory, or updates the index on disk."""

import hashlib
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from rarr.errors import InputError
from rarr.retrievers.corpus.file_listing import File, Scan, Skip, scan
from rarr.retrievers.corpus.index_batches import Batches
from rarr.retrievers.corpus.index_reader import PASSAGES, IndexReader, MemoryReader, failures, place
from rarr.retrievers.corpus.manifest import FORMAT, MANIFEST, FileVersion, Manifest
from rarr.retrievers.corpus.tantivy_index import open_passages
from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError, unopened
from rarr.tools.storage.atomic_files import make_private, private_folder
from rarr.valid_unicode import valid

Progress = Callable[[int, int], None]
"""Called with the number of files done and the number of all files."""


class UnwritableError(Exception):
    """An index cannot be written to disk. The message is the reason alone."""


_LOCK = "rarr-index.lock"
_OURS = (_LOCK, MANIFEST, PASSAGES)


@dataclass(frozen=True)
class IndexReport:
    """What an index holds after a build, in `documents` and `passages`, and what the build did with files.

    `read`, `unchanged`, `removed` and `unsearched` count files; nothing in an unsearched file can be found.
    `skipped` lists (file, reason) of these and of parts of files, including files that an earlier build could
    not read and that have not changed since. `ignored` names the files of unknown kinds.
    """

    documents: int
    passages: int
    read: int
    unchanged: int
    removed: int
    unsearched: int
    skipped: list[tuple[str, str]]
    ignored: list[str]


def build_index(
    path: Path,
    out: Path,
    *,
    window: int,
    step: int,
    max_file_mb: int,
    private: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Builds or updates the index of the corpus at `path` in the folder `out`.

    Files that did not change are not read again. An index in `out` that is damaged, or that was made with
    another window, step or version, is made anew. Waits while another process builds it. Raises `InputError`
    where `path` holds nothing to search, or `out` cannot be written or holds other files. A `private` index
    can be read by its owner alone; otherwise the umask decides.
    """
    rules = {"window": window, "step": step, "max_file_mb": max_file_mb}
    try:
        return update_index(path, out, **rules, private=private, progress=progress)
    except UnwritableError as error:
        raise InputError(
            f"index {str(out)!r} cannot be written ({error}): free space, or choose another folder, "
            "with -o, or RARR_HOME for the indexes that rarr keeps"
        ) from error


def update_index(
    path: Path,
    out: Path,
    *,
    window: int,
    step: int,
    max_file_mb: int,
    private: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Does what `build_index` does, but raises `UnwritableError` where `out` cannot be written."""
    max_bytes = max_file_mb * MEGABYTE
    files = scan(path, max_bytes)
    with failures(UnwritableError), _alone(out, private) as waited:
        if waited:
            files = scan(path, max_bytes)
        with closing(_manifest(out, window, step)) as manifest:
            batches = Batches(
                manifest,
                lambda: open_passages(out / PASSAGES),
                window=window,
                step=step,
                max_bytes=max_bytes,
            )
            report = _Update(manifest, batches, path).run(files, progress)
    _require_passages(path, report)
    return report


def memory_index(
    path: Path, *, window: int, step: int, max_file_mb: int, progress: Progress | None = None
) -> MemoryReader:
    """Builds the index of the corpus at `path` in memory. Raises `InputError` if nothing can be searched."""
    max_bytes = max_file_mb * MEGABYTE
    files = scan(path, max_bytes)
    with failures(lambda why: InputError(f"corpus {str(path)!r} cannot be indexed ({why})")):
        manifest, index = Manifest(None), open_passages(None)
        manifest.create(_facts(window, step))
        batches = Batches(manifest, lambda: index, window=window, step=step, max_bytes=max_bytes)
        report = _Update(manifest, batches, path).run(files, progress)
    _require_passages(path, report)
    return MemoryReader(manifest, index)


def _require_passages(path: Path, report: IndexReport) -> None:
    if not report.passages:
        why = f" ({report.skipped[0][0]}: {report.skipped[0][1]})" if report.skipped else ""
        raise InputError(
            f"no file in corpus {str(path)!r} could be read{why}: mend it or give another corpus"
        )


class _Update:
    """One build: compares the files of the corpus with the indexed files, and reads those that differ."""

    def __init__(self, manifest: Manifest, batches: Batches, path: Path) -> None:
        self._manifest, self._batches, self._path = manifest, batches, path
        self._live = {version.name: (key, version) for key, version in manifest.live().items()}
        self._root = str(path.resolve()).encode(errors="backslashreplace").decode()
        self._trusted = manifest.facts().get("root") == self._root
        if not self._trusted:  # files of another folder may look the same, so every file is read
            manifest.record({"root": ""})

    def run(self, scanned: Scan, progress: Progress | None) -> IndexReport:
        with closing(self._batches):
            return self._run(scanned, progress or (lambda done, total: None))

    def _run(self, scanned: Scan, progress: Progress) -> IndexReport:
        changed = [file for file in scanned.files if not self._looks_same(file)]
        same, read, skipped = len(scanned.files) - len(changed), set[str](), list(scanned.skipped)
        progress(same, len(scanned.files))
        for done, file in enumerate(changed, start=same + 1):
            try:
                if self._read(file):
                    read.add(file.name)
            except UnreadableError as problem:
                skipped.append(Skip(file.name, str(problem)))
            progress(done, len(scanned.files))
        gone = self._live.keys() - {file.name for file in scanned.files}
        lost = self._live.keys() & {skip.file for skip in skipped}
        self._batches.finish(sorted(gone | lost))
        self._manifest.record({"root": self._root, "shown": valid(self._path.as_posix())})
        self._manifest.set_skipped(skipped)
        return self._report(scanned, read, len(gone | lost))

    def _looks_same(self, file: File) -> bool:
        _, live = self._live.get(file.name, (0, None))
        return bool(live and self._trusted and (live.size, live.mtime_ns) == (file.size, file.mtime_ns))

    def _read(self, file: File) -> bool:
        """Reads a file whose size or time changed; False, without reading on, if its content is the same."""
        digest = _digest(file.path)
        version_id, live = self._live.get(file.name, (0, None))
        if live and live.digest == digest:
            self._manifest.touch(version_id, file.size, file.mtime_ns)
            return False
        self._batches.read(file.path, FileVersion(file.name, file.size, file.mtime_ns, digest))
        return True

    def _report(self, scanned: Scan, read: set[str], removed: int) -> IndexReport:
        documents, passages = self._manifest.totals()
        searched = {version.name for version in self._manifest.live().values() if version.documents}
        unsearched = {file.name for file in scanned.files} - searched
        return IndexReport(
            documents=documents,
            passages=passages,
            read=len(searched & read),
            unchanged=len(searched - read),
            removed=removed,
            unsearched=len(unsearched | {skip.file for skip in scanned.skipped}),
            ignored=scanned.ignored,
            skipped=[(place(self._path, name), why) for name, why in self._manifest.skipped()],
        )


@contextmanager
def _alone(out: Path, private: bool) -> Iterator[bool]:
    """Makes the folder `out` and holds its lock. Yields True if another build had to end first."""
    if private:
        private_folder(out)
        out.chmod(0o700)  # an older version may have made it with another mode
    elif out.exists() and not out.is_dir():
        raise InputError(f"{str(out)!r} is a file: give a new folder for the index")
    else:
        out.mkdir(parents=True, exist_ok=True)
    if foreign := [entry.name for entry in out.iterdir() if not entry.name.startswith(_OURS)]:
        raise InputError(
            f"{str(out)!r} holds other files, such as {foreign[0]!r}: give a new folder for the index"
        )
    lock = FileLock(out / _LOCK, mode=0o600) if private else FileLock(out / _LOCK)
    try:
        lock.acquire(blocking=False)
        waited = False
    except Timeout:
        lock.acquire()
        waited = True
    try:
        yield waited
    finally:
        if private:  # tantivy and SQLite make files by the umask, but nobody else may enter the folder
            make_private(out)
        else:
            _share(out)
        lock.release()


def _share(out: Path) -> None:
    """Gives the files of tantivy and SQLite the mode that the umask gave the lock."""
    with suppress(OSError):  # the files belong to somebody else
        mode = stat.S_IMODE((out / _LOCK).stat().st_mode)
        for path in (*(out / PASSAGES).glob("*.json"), *out.glob(f"{MANIFEST}*")):
            path.chmod(mode)


def _manifest(out: Path, window: int, step: int) -> Manifest:
    """Opens the manifest in `out` for writing. Deletes an index that cannot be continued, and starts anew."""
    try:
        with closing(IndexReader(out, window, step)):
            return Manifest(out, write=True)
    except InputError:
        # The manifest is removed last: without it, nobody could tell that the folder is an index.
        shutil.rmtree(out / PASSAGES, ignore_errors=True)
        for file in sorted(out.glob(f"{MANIFEST}*"), reverse=True):
            file.unlink()
        manifest = Manifest(out, write=True)
        open_passages(out / PASSAGES, create=True)
        manifest.create(_facts(window, step))
        return manifest


def _facts(window: int, step: int) -> dict[str, str]:
    return {"format": FORMAT, "window": str(window), "step": str(step), "root": ""}


def _digest(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "blake2b").digest()
    except OSError as error:  # an error of the corpus skips the file; an error of the index ends the build
        raise unopened(error) from error
