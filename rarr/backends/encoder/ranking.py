"""Reranks passages by the encoder: it scores the passages that the overlap of words puts first."""

from collections.abc import Sequence

from rarr.backends.encoder.model import Encoder
from rarr.records import Passage
from rarr.retrievers.rerank.overlap import overlap_scores
from rarr.tools.concurrency import in_thread

DEPTH = 20  # the number of passages that the encoder reads
# Shares of the score. Near these shares most right passages came first on dev.
OVERLAP, RELEVANCE, COSINE = 0.25, 0.25, 0.5


class TrainedReranker:
    """A reranker: scores by overlap of words; the encoder adds to the scores of the best 20 passages."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, from 0 to 1, of which the overlap gives 0.25 at most.

        Passages that the encoder does not read have no more than that.
        """
        return await in_thread(encoder_scores, self._encoder, query, passages)


def encoder_scores(encoder: Encoder, query: str, passages: Sequence[Passage]) -> list[float]:
    """Computes the relevance of each passage, from 0 to 1: by overlap of words, and by the encoder.

    The encoder reads only the 20 passages with most overlap; all others have 0.25 at most.
    """
    overlaps = overlap_scores(query, passages)
    first = sorted(range(len(passages)), key=lambda n: -overlaps[n])[:DEPTH]
    read = encoder.relevance(query, [(passages[n].title, passages[n].text) for n in first])
    asked, *vectors = encoder.embed([query, *(_titled_text(passages[n]) for n in first)])
    scored = [OVERLAP * overlap for overlap in overlaps]
    for n, relevance, vector in zip(first, read, vectors, strict=True):
        scored[n] += RELEVANCE * relevance + COSINE * max(0.0, float(asked @ vector))
    return scored


def _titled_text(passage: Passage) -> str:
    return f"{passage.title}: {passage.text}" if passage.title else passage.text
