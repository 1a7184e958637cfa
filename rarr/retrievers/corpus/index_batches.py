"""Writes the passages of files into the index, in batches that a crash cannot tear."""

import time
from collections.abc import Callable
from pathlib import Path

from tantivy import Index, IndexWriter

from rarr.retrievers.corpus.chunking import windows
from rarr.retrievers.corpus.manifest import FileVersion, Manifest
from rarr.retrievers.corpus.tantivy_index import add, open_writer, remove
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.files import extract
from rarr.tools.concurrency.worker_threads import require_awaited

_BATCH = 50_000  # passages
_SECONDS = 20.0  # an interrupted build loses at most this much work, and the file that it was reading
_NOTES = 20  # notes that are kept of one file


class Batches:
    """Writes the passages of files into one index. The caller holds the index's lock."""

    def __init__(
        self, manifest: Manifest, index: Callable[[], Index], *, window: int, step: int, max_bytes: int
    ) -> None:
        """`manifest` lists the file versions; `index` is called to open the index of passages."""
        self._manifest, self._index = manifest, index
        self._window, self._step, self._max_bytes = window, step, max_bytes
        self._writer: IndexWriter | None = None
        self._to_forget: list[int] = []
        self._queue_removal(manifest.gone())  # the passages that a build left behind when it died
        self._waiting, self._since, self._changed = 0, time.monotonic(), False

    def read(self, path: Path, version: FileVersion) -> None:
        """Reads one file and queues its passages; publishes a full batch, or after 20 seconds.

        Raises `UnreadableError` where another try may succeed. Other failures become notes in the manifest.
        """
        version_id = self._manifest.begin(version)
        self._changed = True
        notes = _Notes()
        documents = passages = 0
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
        self._manifest.finish(version_id, documents, passages, notes.kept())
        self._waiting += passages
        if self._waiting >= _BATCH or time.monotonic() - self._since > _SECONDS:
            self.publish()

    def publish(self, removed: list[str] | None = None) -> None:
        """Shows readers what was read since the last call, and removes the files `removed`."""
        self._manifest.save()  # versions are written down before a search can return their passages
        if self._writer is not None:
            self._writer.commit()
        self._manifest.forget(self._to_forget)
        self._to_forget = []
        self._queue_removal(self._manifest.publish(removed or []))
        self._waiting, self._since, self._changed = 0, time.monotonic(), False

    def finish(self, removed: list[str]) -> None:
        """Publishes the rest, removes the files `removed`, and removes passages that are no longer live."""
        if removed or self._changed:
            self.publish(removed)
        if self._to_forget:
            self.publish()

    def close(self) -> None:
        """Waits for the writer's threads. Passages that were not published are lost."""
        if self._writer is not None:
            self._writer.wait_merging_threads()

    def _opened(self) -> IndexWriter:
        if self._writer is None:  # only once there is something to write: most builds find nothing new
            self._writer = open_writer(self._index())
        return self._writer

    def _queue_removal(self, version_ids: list[int]) -> None:
        # The next commit removes them: readers may be at a state in which these are live until then.
        for version_id in version_ids:
            remove(self._opened(), version_id)
        self._to_forget.extend(version_ids)


class _Notes:
    """Collects the first 20 notes on what cannot be read in a file, and counts the others."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._more = 0

    def append(self, note: str) -> None:
        if len(self._first) < _NOTES:
            self._first.append(note)
        else:
            self._more += 1

    def kept(self) -> list[str]:
        return [*self._first, f"and {self._more} more like this"] if self._more else self._first
