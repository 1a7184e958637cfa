"""Names of judges: which of them are language models."""

from typing import Any

import pytest

from rarr.backends.judge_name_parsing import is_language_model
from rarr.testing import ScriptedModel


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("embedded", False),
        ("nli:x/y", False),
        ("vllm:a", True),
        ("vllm:a+lora", True),
        (ScriptedModel({}), True),
    ],
)
def test_embedded_and_nli_judges_are_no_language_models(judge: Any, expected: bool) -> None:
    assert is_language_model(judge) is expected
