"""The encoder computes beside the event loop."""

import threading

import pytest

from rarr.backends.encoder.model import shipped_encoder
from rarr.backends.encoder.ranking import TrainedReranker


async def test_runs_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    ran_in: list[threading.Thread] = []

    def scores(*_: object) -> list[float]:
        ran_in.append(threading.current_thread())
        return []

    monkeypatch.setattr("rarr.backends.encoder.ranking.encoder_scores", scores)
    await TrainedReranker(shipped_encoder()).score("", [])
    assert ran_in
    assert threading.current_thread() not in ran_in
