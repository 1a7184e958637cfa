import pytest

from rarr.embedded.claims import claims
from rarr.embedded.reading import passage
from rarr.embedded.support import CONTRADICTED, entailment

EVIDENCE = "The Hoover Dam is a concrete dam on the Colorado River. The Hoover Dam opened in 1936."


def support(claim: str, evidence: str = EVIDENCE) -> float:
    score = entailment(claims(claim, None)[0], passage(evidence, "Hoover Dam"))
    assert score is not None
    return score


def test_a_corrected_value_is_better_supported() -> None:
    assert support("The Hoover Dam opened in 1936.") > support("The Hoover Dam opened in 1935.")


def test_what_is_told_in_full_has_full_support() -> None:
    assert support("The Hoover Dam opened in 1936.") > 0.9


def test_a_contradiction_keeps_support_low() -> None:
    assert support("The Hoover Dam opened in 1935.") < CONTRADICTED


def test_another_subject_has_less_support() -> None:
    assert support("The Eiffel Tower was painted red in 1890.") < 0.3


@pytest.mark.parametrize("text", ["It was.", "Is it so?"])
def test_nothing_to_compare(text: str) -> None:
    assert entailment(claims(text, None)[0], passage(EVIDENCE, "")) is None
