"""Searches the user's own documents for passages, in an index that it builds or updates first."""

import asyncio
import hashlib
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Self

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus.file_listing import located
from rarr.retrievers.corpus.index_building import Progress, build_index
from rarr.retrievers.corpus.index_reader import IndexReader, Snapshot, failures, is_index, place
from rarr.retrievers.corpus.index_words import terms
from rarr.retrievers.corpus.tantivy_index import Hit, best_hits, stored_passage
from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.retrievers.extract.files import extract
from rarr.tools.models.run_budget import meter
from rarr.valid_unicode import valid

PASSAGES_PER_DOCUMENT = 8
"""The most passages of one document that a search returns."""

KEPT_SEARCHES = 512  # searches whose passages are kept, up to about 60 kB each: texts repeat their topics
_MOST = 10_000  # passages that are looked through for enough documents


class Corpus:
    """A retriever over an index on disk. `skipped` lists (file, reason) for files that cannot be searched."""

    def __init__(self, reader: IndexReader, shown: Path, max_file_mb: int) -> None:
        """`shown` is the path of the corpus as the sources of its passages show it."""
        self._reader, self._shown, self._max_bytes = reader, shown, max_file_mb * MEGABYTE
        self._kept: dict[tuple[str, str, int], Sequence[Passage]] = {}  # by state, query and k; latest last
        self._changing = threading.Lock()
        self.skipped = [(place(shown, name), reason) for name, reason in reader.skipped()]

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        home: Path,
        window: int,
        step: int,
        max_file_mb: int,
        progress: Progress | None = None,
    ) -> Self:
        """Opens the corpus at `path`: a built index, or a folder or file, whose index is kept under `home`.

        The index of a folder or file is built or updated here, after any build by another process. Raises
        `InputError` if nothing can be searched, or the index cannot be written.
        """
        with suppress(RuntimeError):  # the path names an unknown user: `located` reports it
            path = path.expanduser()
        where = located(path)
        if is_index(where):
            reader = IndexReader(path, window, step)
            reader.require_finished()
            return cls(reader, Path(reader.facts.get("shown", "")), max_file_mb)
        key = hashlib.blake2b(f"{where}\n{window}\n{step}".encode(errors="surrogateescape"))
        index = home.expanduser() / "indexes" / key.hexdigest()[:32]
        rules = {"window": window, "step": step, "max_file_mb": max_file_mb}
        build_index(path, index, **rules, private=True, progress=progress)
        return cls(IndexReader(index, window, step), path, max_file_mb)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` documents with the best passages for `query`, best first.

        At most `PASSAGES_PER_DOCUMENT` of each document; none without a word to search for. Raises
        `RetrievalError` where the index cannot be searched.
        """
        passages, saved = await asyncio.to_thread(self._remembered, query, k)
        if saved:
            meter().saved_searches += 1
        return list(passages)

    async def extracted(self, url: str) -> str | None:
        """Reads the current text of the file or record that passages cite as `url`; None if it is gone."""
        return await asyncio.to_thread(self._extracted, url)

    def close(self) -> None:
        """Closes the index. The next search opens it again."""
        self._reader.close()

    async def aclose(self) -> None:
        """`close` for async callers. It waits for searches that are under way."""
        await asyncio.to_thread(self.close)

    def _remembered(self, query: str, k: int) -> tuple[Sequence[Passage], bool]:
        """Returns the passages, and whether the same search of the same index was made before."""
        words = terms(query)
        if not words or k < 1:
            return (), False
        cure = f"delete the index {str(self._reader.folder)!r} and build it again"
        with failures(lambda why: RetrievalError(f"the corpus cannot be searched ({why}): {cure}")):
            snapshot = self._reader.snapshot()
            key = (snapshot.state, query, k)
            with self._changing:
                if (kept := self._kept.pop(key, None)) is not None:
                    self._kept[key] = kept
                    return kept, True
            passages = self._search(snapshot, words, k)
            with self._changing:
                self._kept[key] = passages
                if len(self._kept) > KEPT_SEARCHES:
                    del self._kept[next(iter(self._kept))]
            return passages, False

    def _search(self, snapshot: Snapshot, words: Sequence[str], k: int) -> Sequence[Passage]:
        limit = k * PASSAGES_PER_DOCUMENT * 2
        while True:  # asks for more hits until they are from `k` documents
            hits = best_hits(snapshot.searcher, words, limit)
            documents = _first_documents(snapshot, hits, k, cut=len(hits) == limit)
            if len(documents) == k or len(hits) < limit or limit >= _MOST:
                break
            limit = min(limit * 4, _MOST)
        now = datetime.now(UTC)
        best = [
            (hit.score, self._passage(snapshot, hit, now))
            for document_hits in documents
            for hit in document_hits[:PASSAGES_PER_DOCUMENT]
        ]
        # The engine orders equal scores by how the index was built; this order does not depend on it.
        best.sort(key=lambda pair: (-pair[0], pair[1].source, pair[1].start))
        return tuple(passage for _, passage in best)

    def _extracted(self, source: str) -> str | None:
        try:
            with failures(RetrievalError):
                names = self._reader.snapshot().names.values()
        except RetrievalError:
            return None
        places = {valid(path): path for path in (place(self._shown, name) for name in names)}
        file, _, item = source.rpartition("#")
        where, wanted = (source, "0") if source in places else (file, item)
        if where not in places:
            return None
        try:
            documents = extract(Path(places[where]).expanduser(), self._max_bytes, lambda _: None)
            return next((document.text for document in documents if str(document.item) == wanted), None)
        except UnreadableError:
            return None

    def _passage(self, snapshot: Snapshot, hit: Hit, now: datetime) -> Passage:
        stored = stored_passage(snapshot.searcher, hit)
        item = f"#{hit.item}" if hit.item else ""
        return Passage(
            text=stored.text,
            source=stored.source or place(self._shown, snapshot.names[hit.version_id]) + item,
            title=stored.title,
            start=stored.start,
            end=stored.end,
            retrieved_at=now,
            published_at=stored.published_at,
            lead=stored.lead,
        )


def _first_documents(snapshot: Snapshot, hits: Sequence[Hit], k: int, *, cut: bool) -> list[list[Hit]]:
    """Groups the hits by document, in order, for the first `k` documents.

    `cut`: the search stopped at its limit, so that hits may be missing at the end.
    """
    documents: dict[tuple[int, int], list[Hit]] = {}
    for hit in _in_order(snapshot, hits, cut=cut):
        document = (hit.version_id, hit.item)
        if hit.version_id in snapshot.names and (len(documents) < k or document in documents):
            documents.setdefault(document, []).append(hit)
    return list(documents.values())


def _in_order(snapshot: Snapshot, hits: Sequence[Hit], *, cut: bool) -> list[Hit]:
    """Takes hits in the order of their scores, and orders those of equal score by file, record and offset.

    The engine orders equal scores by how the index was built, so two builds of one corpus would return
    different evidence. Where the list was `cut`, the last score may lack hits, so it is left out.
    """
    groups = [list(tied) for _, tied in groupby(hits, key=lambda hit: hit.score)]
    if cut and len(groups) > 1:
        groups.pop()
    return [hit for tied in groups for hit in (_by_place(snapshot, tied) if len(tied) > 1 else tied)]


def _by_place(snapshot: Snapshot, tied: list[Hit]) -> list[Hit]:
    def place(hit: Hit) -> tuple[str, int, int]:
        name = snapshot.names.get(hit.version_id, "")
        return name, hit.item, stored_passage(snapshot.searcher, hit).start

    return sorted(tied, key=place)
