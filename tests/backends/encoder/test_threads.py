"""The encoder computes beside the event loop."""

import importlib
import threading
from typing import Any

import pytest

from rarr.backends.encoder.agreement import TrainedAgreement
from rarr.backends.encoder.model import shipped_encoder
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.backends.encoder.support import TrainedVerifier

ANY: Any = None


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("agreement.queried_value", lambda: TrainedAgreement(shipped_encoder()).check("", None, ANY, ANY)),
        (
            "support.sentence_features",
            lambda: TrainedVerifier(shipped_encoder(), 0.5).support("", None, [], ANY),
        ),
        (
            "support.sentence_features",
            lambda: TrainedVerifier(shipped_encoder(), 0.5).classify("", None, [], ANY),
        ),
        ("ranking.encoder_scores", lambda: TrainedReranker(shipped_encoder()).score("", [])),
    ],
)
async def test_runs_beside_the_event_loop(function: str, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module, _, name = function.partition(".")
    ran_in: list[threading.Thread] = []

    def noted(*_: object) -> None:
        ran_in.append(threading.current_thread())
        raise KeyError

    monkeypatch.setattr(importlib.import_module(f"rarr.backends.encoder.{module}"), name, noted)
    with pytest.raises(KeyError):
        await call()
    assert threading.current_thread() not in ran_in != []
