"""Searches the evidence that a row of an evaluation brings with it."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property

from rarr.evals.rows import RowEvidence
from rarr.records import UNNAMED, Passage
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.web.nearest_passages import nearest_by_source


class RowRetriever:
    """A retriever over `evidence`, which is cut into windows of `window` sentences as in a corpus.

    Pieces of evidence from one source are joined to one document. A piece without a source is a document by
    itself.
    """

    offline = True

    def __init__(self, evidence: Sequence[RowEvidence], *, window: int, step: int) -> None:
        self._evidence, self._window, self._step = evidence, window, step

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Finds passages of the `k` documents nearest to `query`, best first; at most 8 of each document.

        A document without a word in common is returned too: its author meant it for this text.
        """
        return await asyncio.to_thread(lambda: nearest_by_source(self._passages, query, k))

    @cached_property
    def _passages(self) -> list[Passage]:
        now, ends = datetime.now(UTC), dict[str, int]()
        passages: list[Passage] = []
        for number, piece in enumerate(self._evidence, start=1):
            source = piece.source or f"{UNNAMED}{number}"
            passages += passages_of(
                piece.text,
                source=source,
                title=piece.title,
                window=self._window,
                step=self._step,
                retrieved_at=now,
                published_at=piece.published_at,
                offset=ends.get(source, 0),
            )
            ends[source] = ends.get(source, 0) + len(piece.text) + 1
        return passages
