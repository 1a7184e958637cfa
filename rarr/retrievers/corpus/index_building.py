"""Builds the index of a corpus on disk, or updates it, in batches that a crash cannot tear."""

import hashlib
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from tantivy import IndexWriter

from rarr.errors import InputError
from rarr.retrievers.corpus.chunking import windows
from rarr.retrievers.corpus.file_listing import File, Scan, Skip, scan
from rarr.retrievers.corpus.index_reader import PASSAGES, IndexReader, failures, place
from rarr.retrievers.corpus.manifest import FORMAT, MANIFEST, FileVersion, Manifest
from rarr.retrievers.corpus.tantivy_index import add, open_passages, open_writer, remove
from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError, unopened
from rarr.retrievers.extract.files import extract
from rarr.tools.concurrency import require_awaited
from rarr.tools.storage.files import make_private, private_folder
from rarr.valid_unicode import valid

Progress = Callable[[int, int], None]
"""Called with the number of files done and the number of all files."""

_BATCH = 50_000  # passages
_SECONDS = 20.0  # an interrupted build loses at most this much work, and the file that it was reading
_NOTES = 20  # notes that are kept of one file
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
    max_bytes = max_file_mb * MEGABYTE
    files = scan(path, max_bytes)
    cure = "free space, or choose another folder, with -o, or RARR_HOME for the indexes that rarr keeps"
    unwritable = f"index {str(out)!r} cannot be written ({{}}): {cure}"
    with failures(lambda why: InputError(unwritable.format(why))), _alone(out, private) as waited:
        if waited:
            files = scan(path, max_bytes)
        with closing(_manifest(out, window, step)) as manifest:
            build = _Build(path, out / PASSAGES, manifest, window=window, step=step, max_bytes=max_bytes)
            with closing(build):
                report = build.run(files, progress or (lambda done, total: None))
    if not report.passages:
        why = f" ({report.skipped[0][0]}: {report.skipped[0][1]})" if report.skipped else ""
        raise InputError(
            f"no file in corpus {str(path)!r} could be read{why}: mend it or give another corpus"
        )
    return report


class _Build:
    """One build: compares the files of the corpus with the indexed files, and reads those that differ.

    The new passages of a file become live after they are committed, together with their whole batch.
    """

    def __init__(
        self, path: Path, passages: Path, manifest: Manifest, *, window: int, step: int, max_bytes: int
    ) -> None:
        """`passages` is the folder of the index of passages. The caller holds the index's lock."""
        self._path, self._passages, self._manifest = path, passages, manifest
        self._window, self._step, self._max_bytes = window, step, max_bytes
        self._live = {version.name: (key, version) for key, version in manifest.live().items()}
        self._root = str(path.resolve()).encode(errors="backslashreplace").decode()
        self._trusted = manifest.facts().get("root") == self._root
        if not self._trusted:  # files of another folder may look the same, so every file is read
            manifest.record({"root": ""})
        self._writer: IndexWriter | None = None
        self._to_forget: list[int] = []
        self._queue_removal(manifest.gone())  # the passages that a build left behind when it died
        self._waiting, self._since, self._changed = 0, time.monotonic(), False

    def run(self, scanned: Scan, progress: Progress) -> IndexReport:
        """Reads what changed, and removes what is gone."""
        changed = [file for file in scanned.files if not self._looks_same(file)]
        same, read, skipped = len(scanned.files) - len(changed), set[str](), list(scanned.skipped)
        progress(same, len(scanned.files))
        for done, file in enumerate(changed, start=same + 1):
            try:
                if self._update(file):
                    read.add(file.name)
            except UnreadableError as problem:
                skipped.append(Skip(file.name, str(problem)))
            progress(done, len(scanned.files))
        gone = self._live.keys() - {file.name for file in scanned.files}
        removed = gone | (self._live.keys() & {skip.file for skip in skipped})
        if removed or self._changed:
            self._publish(removed)
        if self._to_forget:
            self._publish()
        self._manifest.record({"root": self._root, "shown": valid(self._path.as_posix())})
        self._manifest.set_skipped(skipped)
        return self._report(scanned, read, len(removed))

    def close(self) -> None:
        """Waits for the writer's threads. Passages that were not published are lost."""
        if self._writer is not None:
            self._writer.wait_merging_threads()

    def _looks_same(self, file: File) -> bool:
        _, live = self._live.get(file.name, (0, None))
        return bool(live and self._trusted and (live.size, live.mtime_ns) == (file.size, file.mtime_ns))

    def _update(self, file: File) -> bool:
        """Reads a file whose size or time changed; False, without reading on, if its content is the same."""
        digest = _digest(file.path)
        version_id, live = self._live.get(file.name, (0, None))
        if live and live.digest == digest:
            self._manifest.touch(version_id, file.size, file.mtime_ns)
            return False
        self._read(file.path, FileVersion(file.name, file.size, file.mtime_ns, digest))
        if self._waiting >= _BATCH or time.monotonic() - self._since > _SECONDS:
            self._publish()
        return True

    def _read(self, path: Path, version: FileVersion) -> None:
        """Reads one file, and queues its passages.

        Raises `UnreadableError` where another try may succeed. Other failures become notes in the manifest.
        """
        version_id = self._manifest.begin(version)
        self._changed = True
        notes, documents, passages = list[str](), 0, 0
        try:
            for document in extract(path, self._max_bytes, notes.append):
                documents += 1
                for window in windows(document.text, window=self._window, step=self._step):
                    require_awaited()
                    add(self._opened(), document, window, version_id)
                    passages += 1
        except UnreadableError as problem:
            if not problem.lasting:
                self._manifest.discard(version_id)
                raise
            notes.append(f"{'the rest is ' if documents else ''}not searched: {problem}")
        if (more := len(notes) - _NOTES) > 0:
            notes[_NOTES:] = [f"and {more} more like this"]
        self._manifest.finish(version_id, documents, passages, notes)
        self._waiting += passages

    def _publish(self, removed: Iterable[str] = ()) -> None:
        """Shows readers what was read since the last call, and removes the files `removed`."""
        self._manifest.save()  # versions are written down before a search can return their passages
        if self._writer is not None:
            self._writer.commit()
        self._manifest.forget(self._to_forget)
        self._to_forget = []
        self._queue_removal(self._manifest.publish(removed))
        self._waiting, self._since, self._changed = 0, time.monotonic(), False

    def _queue_removal(self, version_ids: list[int]) -> None:
        # The next commit removes them: readers may be at a state in which these are live until then.
        for version_id in version_ids:
            remove(self._opened(), version_id)
        self._to_forget.extend(version_ids)

    def _opened(self) -> IndexWriter:
        if self._writer is None:  # only once there is something to write: most builds find nothing new
            self._writer = open_writer(open_passages(self._passages))
        return self._writer

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
        facts = {"format": FORMAT, "window": str(window), "step": str(step), "root": ""}
        manifest.create(facts)
        return manifest


def _digest(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "blake2b").digest()
    except OSError as error:  # an error of the corpus skips the file; an error of the index ends the build
        raise unopened(error) from error
