"""Searches the user's own documents for passages, in an index that it builds or updates first."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Self

from tantivy import Searcher

from rarr.errors import InputError, RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus.file_listing import located
from rarr.retrievers.corpus.index_building import Progress, build_index
from rarr.retrievers.corpus.index_words import terms
from rarr.retrievers.corpus.passage_index import (
    Hit,
    IndexReader,
    best_hits,
    failures,
    holds,
    is_index,
    place,
    stored_passage,
)
from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError
from rarr.retrievers.extract.files import extract
from rarr.valid_unicode import valid

PASSAGES_PER_DOCUMENT = 8
"""The most passages of one document that a search returns."""

_MOST = 10_000  # passages that are looked through for enough documents


class Corpus:
    """A retriever over an index on disk. `skipped` lists (file, reason) for files that cannot be searched."""

    def __init__(self, reader: IndexReader, shown: Path, max_file_mb: int) -> None:
        """`shown` is the path of the corpus as the sources of its passages show it."""
        self._reader, self._shown, self._max_bytes = reader, shown, max_file_mb * MEGABYTE
        self.skipped = [(place(shown, name), reason) for name, reason in reader.manifest.unread()]

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
            if not reader.manifest.finished:
                raise InputError(
                    f"index {str(path)!r} holds only a part of its corpus, because its build did not end:"
                    f" finish it with rarr index PATH -o {path}"
                )
            return cls(reader, Path(reader.manifest.shown), max_file_mb)
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
        return await asyncio.to_thread(self._retrieved, query, k)

    async def extracted(self, url: str) -> str | None:
        """Reads the current text of the file or record that passages cite as `url`; None if it is gone."""
        return await asyncio.to_thread(self._extracted, url)

    async def aclose(self) -> None:
        """Closes nothing: an index needs no connection."""

    def _retrieved(self, query: str, k: int) -> list[Passage]:
        words = terms(query)
        if not words or k < 1:
            return []
        cure = f"delete the index {str(self._reader.folder)!r} and build it again"
        with failures(lambda why: RetrievalError(f"the corpus cannot be searched ({why}): {cure}")):
            searcher, now = self._reader.searcher(), datetime.now(UTC)
            scored = [
                (hit.score, self._passage(searcher, hit, now))
                for hits in _best_documents(searcher, words, k)
                for hit in hits[:PASSAGES_PER_DOCUMENT]
            ]
        # The engine orders equal scores by how the index was built; this order does not depend on it.
        scored.sort(key=lambda pair: (-pair[0], pair[1].source, pair[1].start))
        return [passage for _, passage in scored]

    def _passage(self, searcher: Searcher, hit: Hit, now: datetime) -> Passage:
        stored, item = stored_passage(searcher, hit), hit.document[1]
        own_source = place(self._shown, stored.pop("file")) + (f"#{item}" if item else "")
        return Passage(**{**stored, "source": stored["source"] or own_source, "retrieved_at": now})

    def _extracted(self, source: str) -> str | None:
        file, _, item = source.rpartition("#")
        for where, wanted in ((source, "0"), (file, item)):
            if (path := self._file(where)) is not None:
                try:
                    documents = extract(path, self._max_bytes, lambda _: None)
                    return "".join(each.text for each in documents if str(each.item) == wanted) or None
                except UnreadableError:
                    return None
        return None

    def _file(self, source: str) -> Path | None:
        """Returns the path of the indexed file with this source; None if the index holds no such file."""
        inside = valid(place(self._shown, "x"))[:-1]
        if source == valid(place(self._shown, "")):
            name = ""
        elif source.startswith(inside):
            name = source[len(inside) :]
        else:
            return None
        with suppress(RetrievalError), failures(RetrievalError):
            if holds(self._reader.searcher(), name):
                return Path(place(self._shown, name)).expanduser()
        return None


def _best_documents(searcher: Searcher, words: Sequence[str], k: int) -> list[list[Hit]]:
    """Returns the hits of the `k` best documents, by document, best first."""
    limit = k * PASSAGES_PER_DOCUMENT * 2
    while True:  # asks for more hits until they are from `k` documents
        hits = best_hits(searcher, words, limit)
        documents: dict[tuple[int, int], list[Hit]] = {}
        for hit in _in_order(searcher, hits, cut=len(hits) == limit):
            if len(documents) < k or hit.document in documents:
                documents.setdefault(hit.document, []).append(hit)
        if len(documents) == k or len(hits) < limit or limit >= _MOST:
            return list(documents.values())
        limit = min(limit * 4, _MOST)


def _in_order(searcher: Searcher, hits: Sequence[Hit], *, cut: bool) -> Iterator[Hit]:
    """Yields hits in the order of their scores, and those of equal score by file, record and offset.

    The engine orders equal scores by how the index was built, so two builds of one corpus would return
    different evidence. Where the list was `cut`, the last score may lack hits, so it is left out.
    """

    def place_of(hit: Hit) -> tuple[str, int, int]:
        stored = stored_passage(searcher, hit)
        return stored["file"], hit.document[1], stored["start"]

    groups = [list(tied) for _, tied in groupby(hits, key=lambda hit: hit.score)]
    if cut and len(groups) > 1:
        groups.pop()
    for tied in groups:
        yield from sorted(tied, key=place_of) if len(tied) > 1 else tied
