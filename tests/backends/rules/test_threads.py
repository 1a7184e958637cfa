"""Rules take the CPU, so that the components keep them off the event loop; what they share is safe there."""

import importlib
import threading
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rarr.backends.rules.agreement import ValueAgreement
from rarr.backends.rules.editing import ValueEditor
from rarr.backends.rules.questions import RuleQuestions
from rarr.backends.rules.support import ValueVerifier
from rarr.backends.rules.words import stem
from rarr.records import Query

ANY: Any = None
QUERY = Query(id="q1", text="When?", start=0, end=0, round=1)


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("questions.rule_questions", lambda: RuleQuestions().generate("", None)),
        ("agreement.query_agreement", lambda: ValueAgreement().check("", None, ANY, ANY)),
        ("editing.change_of", lambda: ValueEditor().edit("", None, QUERY, ANY, ANY)),
        ("support.claim_supports", lambda: ValueVerifier(0.5).support("", None, [], ANY)),
        ("support.claim_classes", lambda: ValueVerifier(0.5).classify("", None, [], ANY)),
    ],
)
async def test_runs_beside_the_event_loop(function: str, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module, _, name = function.partition(".")
    monkeypatch.setattr(
        importlib.import_module(f"rarr.backends.rules.{module}"), name, lambda *_: threading.current_thread()
    )
    ran_in: Awaitable[Any] = call()
    assert await ran_in is not threading.current_thread()


def test_stems_are_the_same_from_many_threads() -> None:
    words = [f"{root}{end}" for root in ("bridg", "open", "construct") for end in ("ing", "ed", "es")] * 50
    alone = [stem.__wrapped__(word) for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(stem.__wrapped__, words)) == alone
