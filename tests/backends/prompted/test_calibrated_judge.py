"""Calibrated judges: the probability decides, and the word wherever the probability cannot."""

from typing import Any

import pytest
from makers import evidence

from backends.prompted.helpers import PROMPTS, calibration, language_model
from rarr.backends.prompted.calibrated_judge import (
    CalibratedIntentJudge,
    CalibratedJudge,
    CalibratedVerifier,
    yes_probability,
)
from rarr.backends.prompted.intent_preservation import PromptedIntentJudge
from rarr.backends.prompted.model_calibration import ModelCalibration, features_of
from rarr.backends.prompted.verifier import PromptedVerifier
from rarr.components import AsksModel
from rarr.testing import ScriptedModel
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.concurrency_limit import Limiter
from rarr.tools.models.language_model import LanguageModel
from rarr.tools.models.retrying_metered_chat import BudgetedChat
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.text.blocks_and_sentences import sentences

TEXT = "The mill is old. It burned in 1921."
FOUND = evidence("The mill burned in 1923.")
VARIABLES = {"before": "(none)", "text": "It burned.", "evidence": "It burned in 1923."}


def verifier(model: LanguageModel, fitted: ModelCalibration | None = None) -> CalibratedVerifier:
    judge = CalibratedJudge(model, PROMPTS, "support", fitted or calibration())
    return CalibratedVerifier(judge, PromptedVerifier(model, PROMPTS), PROMPTS)


def chat_that_says(
    word: str, probability: float | None, *, verdict: str = "attributable", name: str = "scripted"
) -> ScriptedModel:
    """A model that answers `word` to the short question, and `verdict` to the long one."""

    def answer(asked: Any) -> dict[str, str]:
        if asked.prompt.startswith("confirm_"):
            return {"answer": word}
        return {"reason": "", "verdict": verdict}

    return ScriptedModel(answer, probability=probability, name=name)


async def support(judge: CalibratedVerifier) -> tuple[list[float | None], list[str]]:
    """The support of both sentences, and the warnings of the run."""
    meter = Meter()
    token = METER.set(meter)
    try:
        scores = await judge.support(TEXT, None, sentences(TEXT), FOUND)
    finally:
        METER.reset(token)
    return list(scores), [notice.message for notice in meter.warnings]


@pytest.mark.parametrize(("word", "probability"), [("yes", 0.7), ("no", 0.3)])
async def test_the_probability_of_no_is_the_complement_of_that_of_yes(word: str, probability: float) -> None:
    model = language_model(chat_that_says(word, 0.7))
    answer = await yes_probability(model, PROMPTS["confirm_support"], VARIABLES)
    assert answer.yes is (word == "yes")
    assert answer.probability == pytest.approx(probability)


@pytest.mark.parametrize(
    ("word", "probability", "is_supported"),
    [("yes", 0.95, True), ("yes", 0.7, False), ("no", 0.95, False), ("no", 0.15, True)],
)
async def test_the_threshold_decides_and_not_the_word(
    word: str, probability: float, is_supported: bool
) -> None:
    chat = chat_that_says(word, probability, verdict="attributable")
    scores, warnings = await support(verifier(language_model(chat)))
    assert [score is not None and score >= 0.55 for score in scores] == [is_supported] * 2
    assert warnings == []
    assert {ask.name for ask in chat.calls} == {"confirm_support"}


async def test_a_server_without_probabilities_gives_one_warning_and_the_word_decides() -> None:
    scores, warnings = await support(verifier(language_model(chat_that_says("no", None))))
    assert scores == [1.0, 1.0]
    assert len(warnings) == 1
    assert "its server gives no probabilities (logprobs): its word decides" in warnings[0]


@pytest.mark.parametrize(
    ("fitted", "reason"),
    [
        (calibration(support="0" * 12), "it was made with another version of the prompt confirm_support"),
        (calibration(model="vllm:other"), "it was made for vllm:other"),
    ],
)
async def test_a_calibration_of_another_prompt_or_model_is_not_used(
    fitted: ModelCalibration, reason: str
) -> None:
    chat = chat_that_says("yes", 0.95, verdict="contradictory")
    judge = verifier(language_model(chat), fitted)
    scores, warnings = await support(judge)
    assert scores == [0.0, 0.0]
    assert warnings == [f"the calibration of scripted is not used, since {reason}: rarr calibrate scripted"]
    assert {ask.name for ask in chat.calls} == {"judge_attribution"}


async def test_a_fallback_is_not_judged_by_the_calibration_of_another_model() -> None:
    failing = ScriptedModel({}, failures=[CallFailure("refused", "gone")] * 9)
    other = chat_that_says("yes", 0.95, verdict="extrapolatory", name="other")
    limiter = Limiter(32)
    chats = [BudgetedChat(chat, limiter, attempts=1, timeout_s=5) for chat in (failing, other)]
    scores, warnings = await support(verifier(LanguageModel(chats, max_answer_tokens=100)))
    assert scores == [0.0, 0.0]
    assert any("other answers in place of scripted" in warning for warning in warnings)


@pytest.mark.parametrize(("probability", "kept"), [(0.95, 0.95), (None, 0.0)])
async def test_intent_is_the_calibrated_probability_or_else_the_word(
    probability: float | None, kept: float
) -> None:
    model = language_model(chat_that_says("yes", probability, verdict="not"))
    judge = CalibratedJudge(model, PROMPTS, "intent", calibration())
    judged = CalibratedIntentJudge(judge, PromptedIntentJudge(model, PROMPTS), PROMPTS)
    assert await judged.preserved("It burned in 1921.", "It burned in 1923.", None) == pytest.approx(kept)
    assert isinstance(judged, AsksModel)


def test_one_call_is_expected_whether_the_calibration_is_used_or_not() -> None:
    model = language_model(chat_that_says("yes", 0.9))
    for fitted in (calibration(), calibration(support="0" * 12)):
        assert verifier(model, fitted).expected(TEXT, None).model_calls == 1


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_certain_answers_have_finite_log_odds(probability: float) -> None:
    assert abs(features_of(probability)["log_odds"]) < 14
