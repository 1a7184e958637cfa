"""How far evidence attributes a sentence, by the encoder that ships and the rules."""

from collections.abc import Sequence

import pytest
from makers import evidence

from rarr import Settings
from rarr.backends.encoder.model import AttributionInput, AttributionScores, Encoder, shipped_encoder
from rarr.backends.encoder.support import PARTS, TrainedVerifier, sentence_features
from rarr.backends.logistic import AT_THRESHOLD, scaled_support
from rarr.tools.text.blocks_and_sentences import Span, sentences

VERIFIER = TrainedVerifier(shipped_encoder(), AT_THRESHOLD)
PASSAGE = "Elm Mill was built in 1804 by Thomas Hay. It burnt down in 1911 and was never rebuilt."


async def support(text: str, passage: str = PASSAGE) -> float:
    [score] = await VERIFIER.support(text, None, [Span(0, len(text))], evidence(passage))
    assert score is not None
    return score


async def test_stated_sentence_is_supported_more_than_an_unstated_one() -> None:
    stated = support("Thomas Hay built Elm Mill in 1804.")
    assert 0 <= await support("Elm Mill ground barley for three villages.") < await stated <= 1


class Noting(Encoder):
    """Notes the passages that it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def attribution(self, claims: Sequence[AttributionInput]) -> list[AttributionScores]:
        self.shown += [claim.passage for claim in claims]
        return super().attribution(claims)


@pytest.mark.slow
def test_long_evidence_is_read_where_it_speaks_of_the_claim() -> None:
    passage = "The weather was fine. " * 200 + PASSAGE + " The weather was fine." * 200
    noting, text = Noting(), "Thomas Hay built Elm Mill in 1804."
    sentence_features(noting, text, None, [Span(0, len(text))], evidence(passage))
    assert "Elm Mill was built in 1804 by Thomas Hay" in noting.shown[0]
    assert len(noting.shown) == PARTS


def test_threshold_of_1_causes_no_division_by_zero() -> None:
    assert scaled_support(0.5, 1.0) < scaled_support(1.0, 1.0) <= AT_THRESHOLD


async def test_a_span_without_a_word_is_not_judged() -> None:
    assert await VERIFIER.support("...", None, [Span(0, 3)], evidence(PASSAGE)) == [None]


async def test_each_sentence_has_a_class() -> None:
    text = "Thomas Hay built Elm Mill in 1804. Elm Mill sold paper to China."
    first = text.index(" Elm Mill sold")
    spans = [Span(0, first), Span(first + 1, len(text))]
    classes = await VERIFIER.classify(text, None, spans, evidence(PASSAGE))
    assert classes[0] == "attributable"
    assert classes[1] in ("extrapolatory", "contradictory")


async def test_supported_sentences_before_a_claim_do_not_speak_for_it() -> None:
    text = f"{PASSAGE} Elm Mill was sold to a bank in Tokyo."
    start = text.index("Elm Mill was sold")
    [score] = await VERIFIER.support(text, None, [Span(start, len(text))], evidence(PASSAGE))
    assert score is not None
    assert score < AT_THRESHOLD


async def test_a_claim_longer_than_what_the_encoder_reads_is_not_judged() -> None:
    text = (
        "Elm Mill, " + "which is large and old and made of stone, " * 20 + "was built in 1804 by Thomas Hay."
    )
    assert await VERIFIER.support(text, None, [Span(0, len(text))], evidence(PASSAGE)) == [None]


def test_the_calibrated_threshold_is_the_one_of_the_settings() -> None:
    assert Settings().support_threshold == AT_THRESHOLD


async def test_sentence_denied_in_the_same_words_is_not_supported() -> None:
    passage = "Elm Mill was built in 1804. Elm Mill was never rebuilt after the fire of 1911."
    assert await support("Elm Mill was never rebuilt after the fire of 1911.", passage) > AT_THRESHOLD
    assert await support("Elm Mill was rebuilt after the fire of 1911.", passage) < AT_THRESHOLD


async def test_naming_a_subject_does_not_support_claims_about_it() -> None:
    passage = "Velorane is given once a day. The usual dose is 20 mg."
    assert await support("Velorane treats headaches.", passage) < AT_THRESHOLD


async def test_sentence_with_exchanged_parties_is_not_supported() -> None:
    passage = "In the final, Elm Mill beat Hay Forge by two goals."
    assert await support("In the final, Elm Mill beat Hay Forge by two goals.", passage) > AT_THRESHOLD
    assert await support("In the final, Hay Forge beat Elm Mill by two goals.", passage) < AT_THRESHOLD


@pytest.mark.parametrize(("old", "new", "same"), [("1804", "1805", True), ("Elm Mill", "Oak Mill", False)])
async def test_reading_of_a_sentence_changes_with_its_subject_only(old: str, new: str, same: bool) -> None:
    text = "Elm Mill was built in 1804. It burnt down in 1911."
    changed = text.replace(old, new)
    [before] = await VERIFIER.readings(text, None, sentences(text)[1:])
    [after] = await VERIFIER.readings(changed, None, sentences(changed)[1:])
    assert (before == after) is same
