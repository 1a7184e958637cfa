"""Claims that say the same words as the evidence, one of the two with a "not"."""

import pytest

from rarr.embedded.negation import denies
from rarr.embedded.sentence import sentence


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Velorane must be given to children.", "Velorane must not be given to children."),
        ("Velorane is not contraindicated in pregnancy.", "Velorane is contraindicated in pregnancy."),
        (
            "The tenant may sublet the flat without written consent.",
            "The tenant shall not sublet the flat without written consent.",
        ),
        ("Messner climbed Everest with bottled oxygen.", "Messner climbed Everest without bottled oxygen."),
        ("The height includes the snow.", "The height doesn’t include the snow."),
        ("The mill was never rebuilt.", "The mill was rebuilt."),
    ],
)
def test_one_of_the_two_is_denied(claim: str, evidence: str) -> None:
    told = [sentence("It rained."), sentence(evidence)]
    assert denies(sentence(claim), told)
    assert denies(sentence(evidence), [sentence(claim)])


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The mill was not rebuilt.", "The mill was never rebuilt."),
        ("The mill was built in 1804.", "The mill, which was not loved, was built in 1804."),
        ("The mill made paper.", "The mill not only made paper, it sold it."),
        ("The mill had 20 looms.", "The mill had no fewer than 20 looms."),
        ("The mill was rebuilt in 1950.", "The mill was not rebuilt until 1950 by the Hay family of Elm."),
        ("The mill at No. 5 made paper.", "The mill at 5 made paper."),
        ("The mill burned.", "The river was not deep."),
        ("The mill burned.", ""),
    ],
    ids=["both", "another clause", "not only", "no fewer", "until", "number", "little in common", "empty"],
)
def test_neither_is(claim: str, evidence: str) -> None:
    assert not denies(sentence(claim), [sentence(evidence)] if evidence else [])


def test_a_sentence_that_says_it_as_well_outweighs_one_that_denies_it() -> None:
    told = [sentence("The mill was not rebuilt."), sentence("The mill was rebuilt.")]
    assert not denies(sentence("The mill was rebuilt."), told)
