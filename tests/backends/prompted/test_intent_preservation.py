"""Intent has three levels, and only complete preservation counts, as in the paper."""

import pytest

from backends.prompted.helpers import PROMPTS, answering, language_model
from rarr.backends.prompted.intent_preservation import PromptedIntentJudge
from rarr.errors import ModelError


@pytest.mark.parametrize(("verdict", "kept"), [("completely", 1.0), ("mostly", 0.0), ("not", 0.0)])
async def test_paper_counts_only_an_intent_that_is_preserved_completely(verdict: str, kept: float) -> None:
    chat = answering({"reason": "So it is.", "verdict": verdict})
    judge = PromptedIntentJudge(language_model(chat), PROMPTS)
    assert await judge.preserved("It burned in 1921.", "It burned in 1923.", None) == kept


async def test_a_fourth_level_is_no_judgement() -> None:
    chat = answering({"reason": "So it is.", "verdict": "preserved"})
    with pytest.raises(ModelError):
        await PromptedIntentJudge(language_model(chat), PROMPTS).preserved("One.", "Two.", None)
