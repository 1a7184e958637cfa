"""Names of judges: only a "+" before another judge joins."""

from typing import Any

import pytest

from rarr.backends.judge_name_parsing import is_asked_anew, judges_in, language_models_in
from rarr.testing import ScriptedModel

MODEL = ScriptedModel({})


@pytest.mark.parametrize(
    ("judge", "judges", "language_models"),
    [
        ("embedded", ("embedded",), ()),
        ("vllm:a", ("vllm:a",), ("vllm:a",)),
        ("embedded+vllm:a", ("embedded", "vllm:a"), ("vllm:a",)),
        ("vllm:a+embedded", ("vllm:a", "embedded"), ("vllm:a",)),
        ("embedded+rules+nli:x/y", ("embedded", "rules", "nli:x/y"), ()),
        ("nli:/models/c++/n+vllm:a", ("nli:/models/c++/n", "vllm:a"), ("vllm:a",)),
        ("vllm:a+lora", ("vllm:a+lora",), ("vllm:a+lora",)),
        ("embedded+", ("embedded+",), ("embedded+",)),
        (MODEL, (MODEL,), (MODEL,)),
    ],
)
def test_only_a_plus_before_another_judge_joins(judge: Any, judges: Any, language_models: Any) -> None:
    assert (judges_in(judge), language_models_in(judge)) == (judges, language_models)


@pytest.mark.parametrize(
    ("judge", "asked"), [("nli:a/b", True), ("embedded+vllm:a", True), ("vllm:a", False), ("rules", False)]
)
def test_a_replay_asks_nli_models_and_several_judges_anew(judge: str, asked: bool) -> None:
    assert is_asked_anew(judge) is asked
