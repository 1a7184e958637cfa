"""The trained reranker: the encoder's relevance for the passages that the overlap of words puts first."""

from collections.abc import Sequence

from rarr.embedded.ranking import scores as overlap
from rarr.encoder.model import Encoder
from rarr.records import Passage
from rarr.tools.worker import infer

SHARE = 0.5  # of the encoder's relevance in the score; the rest is overlap


class TrainedReranker:
    """Scores by overlap, and the first `most` by the encoder as well."""

    def __init__(self, encoder: Encoder, most: int) -> None:
        self._encoder, self._most = encoder, most

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Relevance from 0 to 1; whatever the encoder did not look at stays behind what it did."""
        return await infer(scores, self._encoder, query, passages, self._most)


def scores(encoder: Encoder, query: str, passages: Sequence[Passage], most: int) -> list[float]:
    """The relevance of each passage."""
    found = overlap(query, passages)
    first = sorted(range(len(passages)), key=lambda n: -found[n])[:most]
    read = encoder.relevance(query, [(passages[n].title, passages[n].text) for n in first])
    scored = [(1 - SHARE) * one for one in found]
    for n, relevance in zip(first, read, strict=True):
        scored[n] += SHARE * relevance
    return scored
