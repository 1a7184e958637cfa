"""Answers of a model are kept as they come, and said again without it."""

from pathlib import Path

import pytest
from tools.asking import ANSWERS, ASK, TEXT

from benchmarks.recorded_answers import KeptAnswers
from rarr.testing import ScriptedModel
from rarr.tools.models.chat import CallFailure


async def test_recorded_answer_is_given_again(tmp_path: Path) -> None:
    file, model = tmp_path / "answers.jsonl", ScriptedModel(ANSWERS)
    first = await KeptAnswers("vllm:m", file, model).complete(ASK)
    again = KeptAnswers("vllm:m", file)
    assert await again.complete(ASK) == first
    assert (first.texts, len(model.calls), again.repeated) == ((TEXT,), 1, 1)


async def test_question_without_a_recorded_answer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CallFailure, match="record the answers anew"):
        await KeptAnswers("vllm:m", tmp_path / "answers.jsonl").complete(ASK)
