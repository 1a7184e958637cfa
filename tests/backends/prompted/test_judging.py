"""A prompted verifier: full support or none, and an error where one of the sentences could not be judged."""

from typing import Any

import pytest
from makers import evidence

from backends.prompted.helpers import PROMPTS, answering, asked_of, language_model
from rarr.backends.prompted.judging import PromptedVerifier
from rarr.errors import ModelError
from rarr.testing import ScriptedModel
from rarr.tools.text.blocks_and_sentences import sentences

TEXT = "The mill is old. It burned in 1921. It was rebuilt."
FOUND = evidence("The mill burned in 1923.")


def verifier(chat: ScriptedModel) -> PromptedVerifier:
    return PromptedVerifier(language_model(chat), PROMPTS)


@pytest.mark.parametrize(
    ("verdict", "support"), [("attributable", 1.0), ("extrapolatory", 0.0), ("contradictory", 0.0)]
)
async def test_only_attributable_sentences_are_supported(verdict: str, support: float) -> None:
    chat = answering({"reason": "So it says.", "verdict": verdict})
    assert await verifier(chat).support(TEXT, None, sentences(TEXT)[:1], FOUND) == [support]


async def test_each_sentence_is_judged_with_the_one_before_in_order() -> None:
    chat = ScriptedModel(
        lambda asked: {
            "reason": "",
            "verdict": "attributable" if "burned in 1921" in asked.user else "extrapolatory",
        }
    )
    spans = sentences(TEXT)
    assert await verifier(chat).support(TEXT, None, spans[:2], FOUND) == [0.0, 1.0]
    assert [asked_of(chat, n)["before"] for n in range(2)] == ["(none)", "The mill is old."]
    assert [asked_of(chat, n)["text"] for n in range(2)] == ["The mill is old.", "It burned in 1921."]


async def test_a_cell_of_a_table_is_judged_with_its_headers() -> None:
    text = "| Mill | Burned |\n|---|---|\n| Old mill | 1921 |\n"
    chat = answering({"reason": "", "verdict": "attributable"})
    await verifier(chat).support(text, None, sentences(text), FOUND)
    assert "Old mill: Burned is 1921" in asked_of(chat)["text"]


@pytest.mark.parametrize("answer", ["", "It is supported.", {"reason": "", "verdict": "supported"}])
async def test_unreadable_answer_is_no_support_of_either_kind(answer: Any) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await verifier(answering(answer)).support(TEXT, None, sentences(TEXT)[:1], FOUND)
