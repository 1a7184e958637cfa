import pytest
from makers import evidence

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.standalone_claims import claims
from rarr.backends.rules.support import CONTRADICTED, ValueVerifier, claim_judgement
from rarr.components import Classifier
from rarr.tools.text.blocks_and_sentences import Span, sentences

EVIDENCE = "The Hoover Dam is a concrete dam on the Colorado River. The Hoover Dam opened in 1936."


def support(claim: str, evidence: str = EVIDENCE) -> float:
    judged = claim_judgement(claims(claim, None)[0], parsed_passage(evidence, "Hoover Dam"))
    assert judged is not None
    return judged.support


def test_a_corrected_value_is_better_supported() -> None:
    assert support("The Hoover Dam opened in 1936.") > support("The Hoover Dam opened in 1935.")


def test_fully_stated_sentence_has_full_support() -> None:
    assert support("The Hoover Dam opened in 1936.") > 0.9


def test_a_contradiction_keeps_support_low() -> None:
    assert support("The Hoover Dam opened in 1935.") < CONTRADICTED


def test_another_subject_has_less_support() -> None:
    assert support("The Eiffel Tower was painted red in 1890.") < 0.3


@pytest.mark.parametrize("text", ["It was.", "Is it so?"])
def test_sentence_without_a_value_to_compare(text: str) -> None:
    assert claim_judgement(claims(text, None)[0], parsed_passage(EVIDENCE, "")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Hoover Dam opened in 1936.", "attributable"),
        ("The Hoover Dam opened in 1935.", "contradictory"),
        ("The Eiffel Tower was painted red in 1890.", "extrapolatory"),
        ("Is it so?", None),
    ],
)
async def test_contradiction_decides_the_class_before_support(text: str, expected: str | None) -> None:
    verifier = ValueVerifier(0.55)
    assert await verifier.classify(text, None, sentences(text), evidence(EVIDENCE)) == [expected]
    assert isinstance(verifier, Classifier)


async def test_threshold_parts_attributable_from_extrapolatory() -> None:
    text = "The Hoover Dam on the Colorado River was built with great care in 1936."
    classes = [
        await ValueVerifier(threshold).classify(text, None, sentences(text), evidence(EVIDENCE))
        for threshold in (0.0, 1.0)
    ]
    assert classes == [["attributable"], ["extrapolatory"]]


async def test_sentence_denied_in_the_same_words_has_less_support() -> None:
    passage = "The Hoover Dam was not closed in 1936."
    [stated] = await ValueVerifier(0.55).support(passage, None, [Span(0, len(passage))], evidence(passage))
    text = "The Hoover Dam was closed in 1936."
    [denied] = await ValueVerifier(0.55).support(text, None, [Span(0, len(text))], evidence(passage))
    assert stated is not None
    assert denied is not None
    assert denied < 0.55 < stated


@pytest.mark.parametrize("denial", ["is not", "isn't", "was never", "is hardly", "is far from"])
async def test_a_negated_measure_is_not_supported_by_what_states_it(denial: str) -> None:
    claim = f"The Vell Bridge {denial} 221 metres long."
    passage = "The Vell Bridge is 221 metres long. It was painted green."
    verifier = ValueVerifier(0.55)
    [judged] = await verifier.support(claim, None, [Span(0, len(claim))], evidence(passage))
    assert judged is not None
    assert judged < 0.55
    assert await verifier.classify(passage, None, sentences(passage)[:1], evidence(passage)) == [
        "attributable"
    ]


@pytest.mark.parametrize(("old", "new", "same"), [("1936", "1935", True), ("Hoover", "Shasta", False)])
async def test_reading_of_a_sentence_changes_with_its_subject_only(old: str, new: str, same: bool) -> None:
    text = "The Hoover Dam opened in 1936. It is a concrete dam."
    changed = text.replace(old, new)
    verifier = ValueVerifier(0.55)
    [before] = await verifier.readings(text, None, sentences(text)[1:])
    [after] = await verifier.readings(changed, None, sentences(changed)[1:])
    assert (before == after) is same
