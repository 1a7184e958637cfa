"""Several judges as one: the support that can be computed by hand, what one could not judge, and vetoes."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from makers import evidence

from backends.helpers import judge_weights
from backends.prompted.helpers import PROMPTS, answering, language_model
from rarr.backends.combined_verifier import CombinedVerifier
from rarr.backends.judge_weights import JudgeWeights, read_weights
from rarr.backends.prompted.model_calibration import calibration_path, write_calibration
from rarr.backends.prompted.verifier import PromptedVerifier
from rarr.backends.rules.support import ValueVerifier
from rarr.components import AsksModel, Classifier, HasVetoes, Verifier
from rarr.errors import ModelError, SettingsError
from rarr.records import Evidence
from rarr.testing import ScriptedVerifier
from rarr.tools.text.blocks_and_sentences import Span, sentences

TEXT = "The mill burned in 1921."
SPANS = sentences(TEXT)
FOUND = evidence("The mill burned in 1923.")
SAME = evidence("The mill burned in 1921.")


class Gives:
    """A verifier with the same support for every sentence."""

    def __init__(self, *supports: float | None) -> None:
        self.supports = supports

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        return self.supports


def combined(
    judges: dict[str, Verifier], fitted: JudgeWeights | None = None, threshold: float = 0.55
) -> CombinedVerifier:
    return CombinedVerifier(judges, fitted or judge_weights(nli=1.0, model=1.0), threshold)


async def test_support_is_the_number_worked_by_hand() -> None:
    """Odds of 4 and 1/3: sigmoid(0.1 + 0.5 ln 4 + 2 ln (1/3)), with odds of e^0.1 * 2 / 9."""
    judge = combined({"nli:n": Gives(0.8), "vllm:a": Gives(0.25)}, judge_weights(0.1, nli=0.5, model=2.0))
    odds = math.exp(0.1) * 2 / 9
    assert list(await judge.support(TEXT, None, SPANS, FOUND)) == [pytest.approx(odds / (1 + odds))]
    assert odds / (1 + odds) == pytest.approx(0.1972, abs=1e-4)


@pytest.mark.parametrize(("given", "counts"), [(0.0, 0.01), (1.0, 0.99), (0.999, 0.99)])
async def test_a_certain_judge_counts_as_nearly_certain(given: float, counts: float) -> None:
    judge = combined({"nli:n": Gives(given), "vllm:a": Gives(0.5)})
    assert list(await judge.support(TEXT, None, SPANS, FOUND)) == [pytest.approx(counts)]


async def test_a_sentence_that_a_judge_could_not_judge_is_unjudged() -> None:
    judge = combined({"nli:n": Gives(0.9, None, 0.5), "vllm:a": Gives(0.9, 0.9, None)})
    two = f"{TEXT} {TEXT} {TEXT}"
    supports = await judge.support(two, None, sentences(two), FOUND)
    assert [support is None for support in supports] == [False, True, True]
    assert await judge.classify(two, None, sentences(two), FOUND) == ["attributable", None, None]


async def test_a_judge_that_fails_fails_the_combination() -> None:
    judge = combined({"nli:n": Gives(0.9), "vllm:a": ScriptedVerifier(ModelError("gone"))})
    with pytest.raises(ModelError, match="gone"):
        await judge.support(TEXT, None, SPANS, FOUND)


@pytest.mark.parametrize(("support", "label"), [(0.8, "attributable"), (0.7, "extrapolatory")])
async def test_class_follows_the_combined_support(support: float, label: str) -> None:
    judge = combined({"nli:n": Gives(support), "vllm:a": Gives(0.5)}, threshold=0.75)
    assert await judge.classify(TEXT, None, SPANS, FOUND) == [label]


@pytest.mark.parametrize(("found", "label"), [(FOUND, "contradictory"), (SAME, "attributable")])
async def test_contradiction_by_rules_is_a_veto_over_any_support(found: Evidence, label: str) -> None:
    judges: dict[str, Verifier] = {"rules": ValueVerifier(0.55), "vllm:a": Gives(1.0)}
    judge = combined(judges, judge_weights(rules=0.01, model=1.0))
    [support] = await judge.support(TEXT, None, SPANS, found)
    assert support is not None and support > 0.9
    assert await judge.classify(TEXT, None, SPANS, found) == [label]


async def test_contradiction_by_a_language_model_only_lowers_the_support() -> None:
    model = language_model(answering({"reason": "", "verdict": "contradictory"}))
    judges: dict[str, Verifier] = {"nli:n": Gives(0.5), "vllm:a": PromptedVerifier(model, PROMPTS)}
    judge = combined(judges)
    assert list(await judge.support(TEXT, None, SPANS, FOUND)) == [pytest.approx(0.01)]
    assert (await judge.classify(TEXT, None, SPANS, FOUND), judge.vetoes) == (["extrapolatory"], [])


def test_one_call_is_expected_for_each_language_model() -> None:
    asked = PromptedVerifier(language_model(answering("")), PROMPTS)
    judge = combined({"nli:n": Gives(0.5), "vllm:a": asked})
    assert judge.expected(TEXT, None) == asked.expected(TEXT, None)
    assert combined({"nli:n": Gives(0.5), "vllm:a": Gives(0.5)}).expected(TEXT, None).model_calls == 0
    assert isinstance(judge, AsksModel) and isinstance(judge, Classifier) and isinstance(judge, HasVetoes)


def test_weights_come_back_from_their_file(tmp_path: Path) -> None:
    made = judge_weights(0.5, embedded=1.5, model=2.0)
    assert read_weights(tmp_path, made.judge) is None
    write_calibration(calibration_path(tmp_path, made.judge), made, private=True)
    assert read_weights(tmp_path, made.judge) == made


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"judge": "embedded+vllm:b"},
            "is damaged, or of another version of rarr: delete it, or run rarr calib",
        ),
        (
            {"judge": "vllm:a+embedded"},
            "holds the weights of vllm:a.embedded: run rarr calibrate embedded.vllm:a",
        ),
        ({"pairs": 0}, "delete it, or run rarr calibrate embedded.vllm:a"),
    ],
)
def test_weights_of_other_judges_are_one_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    made = judge_weights(embedded=1.5, model=2.0)
    path = calibration_path(tmp_path, made.judge)
    write_calibration(path, made.model_copy(update=change), private=True)
    with pytest.raises(SettingsError, match=message) as raised:
        read_weights(tmp_path, made.judge)
    assert "\n" not in str(raised.value)
