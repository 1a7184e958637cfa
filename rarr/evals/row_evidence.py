"""The evidence that a row brings along, as a source that is searched."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property

from rarr.evals.rows import GivenEvidence
from rarr.records import UNNAMED, Passage
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.fetch.pages import passages_of
from rarr.retrievers.web.nearest_passages import nearest


class Given:
    """A retriever over `evidence`, which it cuts into windows of `window` sentences as a corpus does.

    Pieces of one source are one document, in which they stand one after another; each without a source is a
    document of its own.
    """

    offline = True

    def __init__(self, evidence: Sequence[GivenEvidence], *, window: int, step: int) -> None:
        self._evidence, self._window, self._step = evidence, window, step

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Passages of the `k` documents nearest to `query`, best first; at most 8 of each, as of a corpus.

        Nothing is left out for having no word in common: whoever gave it meant it for this text.
        """
        return await asyncio.to_thread(self._search, query, k)

    def _search(self, query: str, k: int) -> list[Passage]:
        documents: dict[str, list[Passage]] = {}
        for passage in nearest(self._passages, query, len(self._passages)):
            if passage.source in documents or len(documents) < k:
                documents.setdefault(passage.source, []).append(passage)
        return [one for found in documents.values() for one in found[:PASSAGES_PER_DOCUMENT]]

    @cached_property
    def _passages(self) -> list[Passage]:
        now, ends = datetime.now(UTC), dict[str, int]()
        found: list[Passage] = []
        for number, one in enumerate(self._evidence, start=1):
            source = one.source or f"{UNNAMED}{number}"
            found += passages_of(
                one.text,
                source=source,
                title=one.title,
                window=self._window,
                step=self._step,
                retrieved_at=now,
                published_at=one.published_at,
                offset=ends.get(source, 0),
            )
            ends[source] = ends.get(source, 0) + len(one.text) + 1
        return found
