"""The encoder that ships reads, the rules compare."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from makers import evidence

from rarr.backends.encoder.agreement import TrainedAgreement, claim_verdicts
from rarr.backends.encoder.calibration_features import could_contradict, ruled_values
from rarr.backends.encoder.model import (
    AttributionInput,
    AttributionScores,
    ClozeInput,
    Encoder,
    Pointing,
    shipped_encoder,
)
from rarr.backends.encoder.model_files import Calibration
from rarr.backends.rules.agreement import ValueAgreement
from rarr.backends.rules.questions import value_questions
from rarr.backends.rules.standalone_claims import claims
from rarr.records import Agreement, Query
from rarr.tools.text.blocks_and_sentences import Span

PASSAGE = (
    "Construction of the Golden Gate Bridge began on January 5, 1933. The bridge opened to traffic on May 27,"
    " 1937. It was designed by the engineer Joseph Strauss."
)


class Eager(Encoder):
    """The encoder that ships, which speaks up sooner than it is calibrated to."""

    @property
    def calibration(self) -> Calibration:
        fitted = shipped_encoder().calibration
        sooner = fitted.disagrees.model_copy(update={"threshold": 0.02})
        return fitted.model_copy(update={"disagrees": sooner})


async def checked(text: str, value: str, passage: str = PASSAGE, encoder: Encoder | None = None) -> Agreement:
    place = text.index(value)
    [asked] = [question for question in value_questions(text, None) if question.start <= place < question.end]
    query = Query(id="q1", **asked.model_dump())
    return await TrainedAgreement(encoder or shipped_encoder()).check(text, None, query, evidence(passage))


@pytest.mark.slow
async def test_another_value_that_the_rules_do_not_see_disagrees_with_its_words() -> None:
    text = "The Golden Gate Bridge was drawn by Irving Morrow."
    [asked] = value_questions(text, None)
    query = Query(id="q1", **asked.model_dump())
    assert (await ValueAgreement().check(text, None, query, evidence(PASSAGE))).verdict == "unknown"
    agreement = await checked(text, "Irving Morrow", encoder=Eager())
    assert (agreement.verdict, agreement.text_answer) == ("disagrees", "Irving Morrow")
    assert "Joseph Strauss" in agreement.evidence_answer
    assert agreement.confidence is not None
    assert 0 < agreement.confidence <= 1


@pytest.mark.parametrize("value", ["1937", "Joseph Strauss"])
async def test_the_same_value_in_the_same_role_agrees(value: str) -> None:
    text = "The Golden Gate Bridge opened to traffic in 1937. The bridge was designed by Joseph Strauss."
    assert (await checked(text, value)).verdict == "agrees"


async def test_value_that_the_passage_does_not_mention_is_not_contradicted() -> None:
    text = "The Golden Gate Bridge cost 35 million dollars."
    assert (await checked(text, "35 million")).verdict in ("irrelevant", "unknown")


async def test_a_passage_about_something_else_gives_no_verdict() -> None:
    passage = "The Humber Bridge opened to traffic on 24 June 1981. It was designed by Freeman Fox."
    agreement = await checked("The Golden Gate Bridge opened to traffic in 1937.", "1937", passage)
    assert agreement.verdict in ("irrelevant", "unknown")


async def test_a_query_about_no_value_is_unknown() -> None:
    query = Query(id="q1", text="What is it?", start=0, end=3)
    agreement = await TrainedAgreement(shipped_encoder()).check("It is so.", None, query, evidence(PASSAGE))
    assert agreement.verdict == "unknown"


class Scripted(Encoder):
    """Says of every claim the same, and points at the first place of the passage where `said` stands."""

    def __init__(self, judged: AttributionScores, answer: str) -> None:
        super().__init__()
        self._judged, self._answer = judged, answer

    def attribution(self, claims: Sequence[AttributionInput]) -> list[AttributionScores]:
        return [self._judged] * len(claims)

    def point(self, asked: Sequence[ClozeInput]) -> list[Pointing]:
        return [self._pointing(claim.passage) for claim in asked]

    def _pointing(self, passage: str) -> Pointing:
        words = [(match.start(), match.end()) for match in re.finditer(r"\w+", passage)]
        here = np.array([-0.01 if passage[s:e] == self._answer else -8.0 for s, e in words], np.float32)
        return Pointing(here, here, -8.0, tuple(words))


@pytest.mark.slow
async def test_contradiction_without_an_answer_names_the_value_most_likely_wrong() -> None:
    text = "The Golden Gate Bridge was paid for by Amadeo Giannini in Nevada."
    wrong = ((Span(text.index("Amadeo"), text.index(" in")), 0.97),)
    encoder = Scripted(AttributionScores(0.01, 0.01, 0.98, wrong), "Nowhere")
    agreements = [await checked(text, value, encoder=encoder) for value in ("Amadeo Giannini", "Nevada")]
    assert [(agreement.verdict, agreement.evidence_answer) for agreement in agreements] == [
        ("disagrees", ""),
        ("irrelevant", ""),
    ]
    assert agreements[0].reason == "the evidence contradicts the sentence"


@pytest.mark.slow
async def test_a_claim_longer_than_what_the_encoder_reads_is_checked_by_the_rules_alone() -> None:
    text = "The Golden Gate Bridge, {}was paid for by Amadeo Giannini in Nevada."
    long, short = text.format("which is large and old and red, " * 20), text.format("")
    encoder = Scripted(AttributionScores(0.01, 0.01, 0.98, ((Span(0, len(short)), 0.97),)), "Nowhere")
    assert (await checked(short, "Amadeo Giannini", encoder=encoder)).verdict == "disagrees"
    assert (await checked(long, "Amadeo Giannini", encoder=encoder)).verdict != "disagrees"


async def test_a_profession_is_checked_like_any_value() -> None:
    text = "The Golden Gate Bridge was designed by the {} Joseph Strauss."
    assert (await checked(text.format("engineer"), "engineer")).verdict == "agrees"
    assert (await checked(text.format("painter"), "painter")).verdict == "disagrees"


@pytest.mark.parametrize(
    "sentence",
    [
        "The Golden Gate Bridge was drawn by Irving Morrow.",
        "The Golden Gate Bridge opened to traffic in 1935.",
        "The Golden Gate Bridge was paid for by Amadeo Giannini in Nevada.",
        "The Humber Bridge welcomed its first cars in 1981.",
    ],
)
@pytest.mark.parametrize("encoder", [shipped_encoder(), Eager()], ids=["shipped", "eager"])
def test_second_reading_that_is_left_out_would_not_change_the_verdict(
    sentence: str, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    [claim] = claims(sentence, None)
    passages = [PASSAGE, "The Humber Bridge opened to traffic on 24 June 1981.", "It rained on Monday."]
    verdicts = [claim_verdicts(encoder, sentence, claim, "", passage) for passage in passages]
    monkeypatch.setattr("rarr.backends.encoder.agreement.could_contradict", lambda *_: True)
    assert [claim_verdicts(encoder, sentence, claim, "", passage) for passage in passages] == verdicts


def test_passage_about_something_else_gets_no_second_reading() -> None:
    [claim] = claims("The Golden Gate Bridge was drawn by Irving Morrow.", None)
    ruled = ruled_values(claim.sentence.text, claim, "", PASSAGE)
    fitted = shipped_encoder().calibration
    assert not could_contradict(fitted, AttributionScores(0.02, 0.97, 0.01, ()), ruled)
    assert could_contradict(fitted, AttributionScores(0.01, 0.01, 0.98, ((ruled[0].place, 0.97),)), ruled)
