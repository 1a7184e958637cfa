"""The language model is asked only for what the first checker is not sure of."""

import pytest
from makers import evidence, query

from backends.prompted.helpers import PROMPTS, answering, language_model
from rarr.backends.prompted.agreement import PromptedChecker
from rarr.backends.prompted.cascade import CascadeChecker
from rarr.backends.rules import answer_grounding as stated_answers
from rarr.records import Agreement, Verdict
from rarr.testing import ScriptedChecker

TEXT = "Georgia grows the most peaches."
STANDS = "California grows the most peaches."
SAID = {"text_answer": "Georgia", "evidence_answer": "California", "reason": "", "verdict": "disagrees"}


@pytest.mark.parametrize(
    ("verdict", "confidence", "asks"),
    [
        ("agrees", 0.9, False),
        ("disagrees", 0.8, False),
        ("irrelevant", 1.0, False),
        ("agrees", 0.79, True),
        ("disagrees", None, True),
        ("unknown", 1.0, True),
        ("unknown", None, True),
    ],
)
async def test_model_is_asked_below_the_threshold(
    verdict: Verdict, confidence: float | None, asks: bool
) -> None:
    chat = answering(SAID)
    prompted = PromptedChecker(language_model(chat), PROMPTS, whole_text=False, reader=stated_answers)
    first = ScriptedChecker(lambda *_: Agreement(verdict=verdict, confidence=confidence))
    agreement = await CascadeChecker(first, prompted, 0.8).check(TEXT, None, query(), evidence(STANDS))
    assert (len(chat.calls), agreement.verdict) == (int(asks), "disagrees" if asks else verdict)


async def test_unknown_goes_on_whatever_the_threshold() -> None:
    chat = answering(SAID)
    prompted = PromptedChecker(language_model(chat), PROMPTS, whole_text=False, reader=stated_answers)
    checker = CascadeChecker(ScriptedChecker(), prompted, 0.0)
    assert (await checker.check(TEXT, None, query(), evidence(STANDS))).verdict == "disagrees"


def test_expected_is_that_of_the_model() -> None:
    prompted = PromptedChecker(
        language_model(answering(SAID)), PROMPTS, whole_text=False, reader=stated_answers
    )
    assert CascadeChecker(ScriptedChecker(), prompted, 0.5).expected(TEXT, None) == prompted.expected(
        TEXT, None
    )
