"""Searches the user's own documents for passages, in an index that it builds or updates first."""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Self

from tantivy import Searcher

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.corpus import passage_index as index
from rarr.retrievers.corpus.index_building import Progress, build_index, located
from rarr.retrievers.corpus.index_words import terms
from rarr.retrievers.extract.documents import UnreadableError
from rarr.retrievers.extract.files import extract
from rarr.valid_unicode import valid

PASSAGES_PER_DOCUMENT = 8
"""The most passages of one document that a search returns."""

_MOST = 10_000  # passages that one search returns, at most


class Corpus:
    """A retriever over an index on disk. `skipped` lists (file, reason) for files that cannot be searched."""

    def __init__(self, reader: index.IndexReader, shown: Path) -> None:
        """`shown` is the path of the corpus as the sources of its passages show it."""
        self._reader, self._shown = reader, shown
        self.skipped = reader.manifest.unread(shown)

    @classmethod
    def open(cls, path: Path, *, home: Path, window: int, progress: Progress | None = None) -> Self:
        """Opens the corpus at `path`: a built index, or a folder or file, whose index is kept under `home`.

        The index of a folder or file is built or updated here, after any build by another process. Raises
        `InputError` if nothing can be searched, or the index cannot be written.
        """
        with suppress(RuntimeError):  # the path names an unknown user: `located` reports it
            path = path.expanduser()
        where = located(path)
        if index.is_index(where):
            reader = index.IndexReader(path, window)
            return cls(reader, Path(reader.manifest.shown))
        key = hashlib.blake2b(f"{where}\n{window}".encode(errors="surrogateescape")).hexdigest()[:32]
        folder = home.expanduser() / "indexes" / key
        build_index(path, folder, window=window, private=True, progress=progress)
        return cls(index.IndexReader(folder, window), path)

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns passages of the `k` documents with the best passages for `query`, best first.

        At most `PASSAGES_PER_DOCUMENT` of each document; none without a word to search for. Raises
        `RetrievalError` where the index cannot be searched.
        """
        return await asyncio.to_thread(self._retrieved, query, k)

    async def extracted(self, url: str) -> str | None:
        """Reads the current text of the file or record that passages cite as `url`; None if it is gone."""
        return await asyncio.to_thread(self._extracted, url)

    def _retrieved(self, query: str, k: int) -> list[Passage]:
        words, now = terms(query), datetime.now(UTC)
        if not words or k < 1:
            return []
        scored = list[tuple[float, Passage]]()
        cure = f"delete the index {str(self._reader.folder)!r} and build it again"
        with index.failures(f"the corpus cannot be searched ({{}}): {cure}", RetrievalError):
            searcher = self._reader.searcher()
            for hit in _best(searcher, words, k):
                stored, item = index.stored_passage(searcher, hit), hit.document[1]
                own_source = (self._shown / stored.pop("file")).as_posix() + (f"#{item}" if item else "")
                facts = {**stored, "source": stored["source"] or own_source, "retrieved_at": now}
                scored.append((hit.score, Passage(**facts)))
        # The engine orders equal scores by how the index was built; this order does not depend on it.
        scored.sort(key=lambda pair: (-pair[0], pair[1].source, pair[1].start))
        return [passage for _, passage in scored]

    def _extracted(self, source: str) -> str | None:
        file, _, item = source.rpartition("#")
        for where, wanted in ((source, "0"), (file, item)):
            if path := self._paths.get(where):
                with suppress(UnreadableError):
                    documents = extract(path, lambda _: None)
                    return "".join(each.text for each in documents if str(each.item) == wanted) or None
        return None

    @cached_property
    def _paths(self) -> dict[str, Path]:
        paths = (self._shown / name for name in self._reader.manifest.files)
        return {valid(path.as_posix()): path.expanduser() for path in paths}


def _best(searcher: Searcher, words: Sequence[str], k: int) -> list[index.Hit]:
    """Returns the best passages of each of the `k` best documents.

    Where too few documents have all hits, another search leaves out those with enough hits. Equal scores are
    ordered by place, since the engine orders them by how the index was built. Where the limit cut the hits,
    the last score may lack hits, so it is left out.
    """
    documents, full = dict[tuple[int, int], list[index.Hit]](), list[tuple[int, int]]()
    limit = k * PASSAGES_PER_DOCUMENT * 2
    while True:
        hits, found = index.best_hits(searcher, words, limit, full), dict[tuple[int, int], list[index.Hit]]()
        is_whole = len(hits) < limit or limit >= _MOST
        kept = [hit for hit in hits if is_whole or hit.score > hits[-1].score]
        for hit in sorted(kept or hits, key=lambda hit: (-hit.score, hit.document, hit.start)):
            found.setdefault(hit.document, []).append(hit)
        documents |= found
        if len(documents) >= k or len(hits) < limit:
            best = [each[:PASSAGES_PER_DOCUMENT] for each in documents.values()]
            return [hit for hits in best[:k] for hit in hits]
        more = [it for it in found if len(found[it]) >= PASSAGES_PER_DOCUMENT and kept]
        full, limit = full + more, limit if more else min(4 * limit, _MOST)
