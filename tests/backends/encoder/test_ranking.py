"""The reranker of the encoder that ships, which computes beside the event loop."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from makers import passage

from rarr.backends.encoder.model import Encoder, shipped_encoder
from rarr.backends.encoder.ranking import TrainedReranker, encoder_scores

PASSAGES = [
    passage("The Golden Gate Bridge opened to traffic in May 1937.", "a"),
    passage("The bridge is painted in a colour called international orange.", "b"),
    passage("Shares fell on Monday.", "c"),
]


async def test_the_passage_that_answers_comes_first() -> None:
    scores = await TrainedReranker(shipped_encoder()).score("When did the Golden Gate Bridge open?", PASSAGES)
    assert max(range(3), key=lambda n: scores[n]) == 0
    assert all(0 <= score <= 1 for score in scores)


class Scripted(Encoder):
    """Finds the passages relevant, and near the query, that say `word`."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self._word = word

    def relevance(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        return [float(self._word in text) for _, text in passages]

    def embed(self, texts: Sequence[str]) -> Any:
        return np.array([[1.0, 0.0], *([float(self._word in text), 0.0] for text in texts[1:])])


def test_the_encoder_outweighs_shared_words() -> None:
    scores = encoder_scores(Scripted("Shares"), "When did the Golden Gate Bridge open?", PASSAGES)
    assert max(range(3), key=lambda n: scores[n]) == 2


async def test_runs_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    ran_in: list[threading.Thread] = []

    def scores(*_: object) -> list[float]:
        ran_in.append(threading.current_thread())
        return []

    monkeypatch.setattr("rarr.backends.encoder.ranking.encoder_scores", scores)
    await TrainedReranker(shipped_encoder()).score("", [])
    assert ran_in
    assert threading.current_thread() not in ran_in
