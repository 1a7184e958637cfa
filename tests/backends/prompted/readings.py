"""A request, its answer, and the file in which readings are saved."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rarr.backends.prompted.saved_readings import SavedReadings
from rarr.testing import ScriptedModel
from rarr.tools.models.chat import ChatRequest, Message, Sample
from rarr.tools.models.concurrency_limit import Limiter
from rarr.tools.models.retrying_metered_chat import BudgetedChat

ASK = ChatRequest(("read_evidence", "1", "0123abcd"), (Message("system", "Read."),), {"type": "object"})


ANSWER = Sample('{"answer":"1936"}', 0.75)


def model(saved_as: str | None = "server") -> BudgetedChat:
    return BudgetedChat(ScriptedModel({}), Limiter(1), attempts=1, timeout_s=1, saved_as=saved_as)


def saved_in(path: Path, **options: Any) -> SavedReadings:
    return SavedReadings(path, **{"max_bytes": 1e9} | options)


def question(number: int) -> ChatRequest:
    return replace(ASK, messages=(Message("user", f"{number}"),))


def in_other_forms(answer: str) -> Sample:
    """An answer that compression does not shorten much."""
    return Sample(answer + os.urandom(500).hex(), 0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "readings.sqlite"


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
