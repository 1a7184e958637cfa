"""Ranks the sentences and triples of an answer by the encoder, which all its parts share."""

from collections.abc import Sequence
from functools import cached_property

from rarr.agent.wiring.resources import encoder_of
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.components import Components, Reranker
from rarr.records import Passage
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import in_thread


class EncoderReranker:
    """A reranker by the encoder of the settings, which is opened at the first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def _ranker(self) -> TrainedReranker:
        return TrainedReranker(encoder_of(self._settings))

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, from 0 to 1."""
        ranker = await in_thread(lambda: self._ranker)
        return await ranker.score(query, passages)


def answer_reranker(components: Components) -> Reranker:
    """Returns the reranker that an `Answerer` opened, or another where a replay runs one node alone."""
    return components.answer_reranker or EncoderReranker(components.settings)
