"""A judge by name gives each sentence of a claim a class by each passage; its failure is no label."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from component_doubles import ScriptedVerifier, scripted_components

from agent.dams import CATS, DAM, RIGHT, codes
from rarr import ClaimVerifier, Settings
from rarr.agent.named_judge import NamedJudge, verifier_of
from rarr.backends.embedded.near_quotes import NearQuoteReader
from rarr.components import Verifier
from rarr.records import AttributionClass, Evidence
from rarr.testing import ScriptedModel
from rarr.tools.text.blocks_and_sentences import Span


def judged_by(verifier: Verifier) -> ClaimVerifier:
    return NamedJudge(
        components=replace(scripted_components(verifier=verifier), card_reader=NearQuoteReader())
    )


class Classes(ScriptedVerifier):
    """Supports everything, and gives the class in `kinds` by each passage."""

    def __init__(self, **kinds: AttributionClass | None) -> None:
        super().__init__(lambda *_: 0.9)
        self.kinds, self.asked = kinds, list[str]()

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        self.asked.append(evidence.text)
        return [self.kinds[evidence.id]] * len(spans)


@pytest.mark.parametrize(
    ("kinds", "label", "status"),
    [
        (("attributable", "contradictory"), "attributable", "supported"),
        (("extrapolatory", "contradictory"), "contradictory", "contradicted"),
        (("extrapolatory", "extrapolatory"), "extrapolatory", "unconfirmed"),
        (("extrapolatory", None), None, "unjudged"),
    ],
)
async def test_one_passage_that_supports_is_enough(kinds: Any, label: str | None, status: str) -> None:
    judge = Classes(p1=kinds[0], p2=kinds[1])
    verification = await judged_by(judge).averify(RIGHT, [DAM, CATS])
    assert (verification.label, verification.sentences[0].status) == (label, status)
    assert (judge.asked, verification.probability) == ([DAM, CATS], 0.9)


async def test_failed_judgement_is_no_label() -> None:
    verification = await judged_by(ScriptedVerifier(RuntimeError("down"))).averify(RIGHT, DAM)
    assert (verification.label, verification.probability) == (None, None)
    assert codes(verification) == ["verification_failed"]


@pytest.mark.parametrize(("level", "label"), [(0.9, "attributable"), (0.1, None)])
async def test_failed_judgement_by_one_passage_may_decide(level: float, label: str | None) -> None:
    judge = ScriptedVerifier(lambda sentence, evidence: None if evidence.text == CATS else level)
    assert (await judged_by(judge).averify(RIGHT, [DAM, CATS])).label == label


def test_language_model_is_asked_once_for_each_sentence_and_passage() -> None:
    judge = ScriptedModel(lambda asked: {"reason": "", "verdict": "contradictory"})
    with verifier_of(Settings(models={"attribute": judge})) as verifier:
        verification = verifier.verify(f"{RIGHT} {CATS}", [DAM, "Dogs bark."])
    assert len(judge.calls) == verification.usage.by_node["attribute"].model_calls == 4
    assert verification.label == "contradictory"


def test_embedded_judge_is_the_embedded_reader_whatever_the_model_is() -> None:
    settings = Settings(model=ScriptedModel({}), models={"attribute": "embedded"})
    assert verifier_of(settings).reader == "embedded"
