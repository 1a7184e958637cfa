"""A judge by name gives each sentence of a claim a class by its passages; its failure is no label."""

from dataclasses import replace
from typing import Any

import pytest
from component_doubles import ScriptedVerifier, scripted_components

from agent.dams import CATS, DAM, RIGHT, codes
from rarr import Settings, Verification
from rarr.agent.named_judge import NamedJudge, verifier_of
from rarr.backends.embedded.near_quotes import NearQuoteReader
from rarr.testing import ScriptedModel


async def judged(judgement: Any) -> Verification:
    components = scripted_components(verifier=ScriptedVerifier(judgement))
    judge = NamedJudge(components=replace(components, card_reader=NearQuoteReader()))
    return await judge.averify(f"{RIGHT} {CATS}", [DAM, "Dogs bark."])


@pytest.mark.parametrize(
    ("levels", "label", "probability"),
    [
        ((0.9, 0.8), "attributable", 0.8),
        ((0.9, 0.1), "extrapolatory", 0.1),
        ((0.9, None), None, None),
    ],
)
async def test_worst_sentence_decides_by_all_passages(
    levels: tuple[float | None, ...], label: str | None, probability: float | None
) -> None:
    premises = set[str]()

    def level(sentence: str, evidence: Any) -> float | None:
        premises.add(evidence.text)
        return levels[sentence == CATS]

    verification = await judged(level)
    assert (verification.label, verification.probability) == (label, probability)
    assert premises == {f"{DAM}\n\nDogs bark."}


async def test_failed_judgement_is_no_label() -> None:
    verification = await judged(RuntimeError("down"))
    assert (verification.label, verification.probability) == (None, None)
    assert {sentence.status for sentence in verification.sentences} == {"unjudged"}
    assert codes(verification) == ["verification_failed"]


def test_language_model_is_asked_once_for_each_sentence() -> None:
    judge = ScriptedModel(lambda asked: {"reason": "", "verdict": "contradictory"})
    with verifier_of(Settings(models={"attribute": judge})) as verifier:
        verification = verifier.verify(f"{RIGHT} {CATS}", [DAM, "Dogs bark."])
    assert len(judge.calls) == verification.usage.by_node["attribute"].model_calls == 2
    assert verification.label == "contradictory"


def test_embedded_judge_is_the_embedded_reader_whatever_the_model_is() -> None:
    settings = Settings(model=ScriptedModel({}), models={"attribute": "embedded"})
    assert verifier_of(settings).reader == "embedded"
