"""Claims that say the same words as the evidence, one of the two with a "not" or an opposite."""

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
        ("Velorane is safe during pregnancy.", "Velorane is contraindicated during pregnancy."),
        ("Velorane causes hypertension in adults.", "Velorane causes hypotension in adults."),
        ("Fewer than 20 patients recovered.", "More than 20 patients recovered."),
        ("The tenant may repaint the walls.", "The tenant shall repaint the walls."),
        ("The clause is enforceable in Ohio.", "The clause is unenforceable in Ohio."),
        ("The deposit is refundable.", "The deposit is non-refundable."),
        ("The appeal was dismissed by the court.", "The appeal was upheld by the court."),
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
        ("Velorane is not safe in pregnancy.", "Velorane is contraindicated in pregnancy."),
        ("The higher court overruled the lower court.", "The lower court was overruled by the higher court."),
        ("The mill is safe.", "The dangerous road runs along the deep river."),
        ("The mill had more than 20 looms.", "The mill had no fewer than 20 looms."),
        (
            "The mill made more than 20 tonnes of paper in a year.",
            "The mill made 20 tonnes of paper in less than a year.",
        ),
        ("The mill opened in May 1990.", "The mill must be opened in 1990."),
        ("Major Hay built the mill.", "Hay built the mill for a minor lord."),
        (
            "Velorane caused nausea in some of the 40 patients.",
            "Velorane caused nausea in all of the 40 patients.",
        ),
        ("The port of Elm sold rice.", "The import of Elm sold rice."),
    ],
    ids=[
        *("both", "another clause", "not only", "no fewer", "until", "number", "little in common", "empty"),
        *("not the opposite", "both have both", "an opposite and little in common"),
        *("at least", "another place", "the month", "a rank", "entailed", "no prefix"),
    ],
)
def test_neither_is(claim: str, evidence: str) -> None:
    assert not denies(sentence(claim), [sentence(evidence)] if evidence else [])


def test_a_sentence_that_says_it_as_well_outweighs_one_that_denies_it() -> None:
    told = [sentence("The mill was not rebuilt."), sentence("The mill was rebuilt.")]
    assert not denies(sentence("The mill was rebuilt."), told)
