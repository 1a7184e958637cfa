"""Claims that say the same words as the evidence, one of the two with a "not" or an opposite."""

import pytest

from rarr.backends.rules.denied_claims import is_denied, is_negated
from rarr.backends.rules.parsed_sentence import parsed_sentence


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
        ("The Grenna Dam has eight gates.", "The Grenna Dam lacks eight gates."),
        ("The hut has a stove and a lamp.", "The hut lacked a stove and a lamp."),
        ("Velorane is safe during pregnancy.", "Velorane is contraindicated during pregnancy."),
        ("Velorane causes hypertension in adults.", "Velorane causes hypotension in adults."),
        ("Fewer than 20 patients recovered.", "More than 20 patients recovered."),
        ("The tenant may repaint the walls.", "The tenant shall repaint the walls."),
        ("The clause is enforceable in Ohio.", "The clause is unenforceable in Ohio."),
        ("The deposit is refundable.", "The deposit is non-refundable."),
        ("A bank that notifies a breach is fined.", "A bank that fails to notify a breach is fined."),
        ("The appeal must be lodged after 28 days.", "The appeal must be lodged within 28 days."),
        ("Patients received 25 µg of velorane.", "Patients received 25 mg of velorane."),
        ("The notice is given within 72 days.", "The notice is given within 72 hours."),
        ("The damages were limited to EUR 1 million.", "The damages were limited to GBP 1 million."),
        (
            "The usual dose of velorane is 850 mg once daily.",
            "The usual dose of velorane is 500 mg once daily.",
        ),
        ("The appeal was dismissed by the court.", "The appeal was upheld by the court."),
    ],
)
def test_claim_or_evidence_denies_the_other(claim: str, evidence: str) -> None:
    sentences = [parsed_sentence("It rained."), parsed_sentence(evidence)]
    assert is_denied(parsed_sentence(claim), sentences)
    assert is_denied(parsed_sentence(evidence), [parsed_sentence(claim)])


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
        ("The pause lasted 3 days in 1990.", "The pause lasted 72 hours in 1990."),
        ("The height of the tower is 200 metres.", "The height of the tower is 656 feet."),
        ("The mill made 20 tonnes in 1990.", "The mill made 20 tonnes."),
    ],
    ids=[
        *("both", "another clause", "not only", "no fewer", "until", "number", "little in common", "empty"),
        *("not the opposite", "both have both", "an opposite and little in common"),
        *("at least", "another place", "the month", "a rank", "entailed", "no prefix"),
        *("other units of time", "other units", "a value more"),
    ],
)
def test_claim_and_evidence_do_not_deny_each_other(claim: str, evidence: str) -> None:
    assert not is_denied(parsed_sentence(claim), [parsed_sentence(evidence)] if evidence else [])


def test_sentence_that_states_the_claim_outweighs_its_denial() -> None:
    sentences = [parsed_sentence("The mill was not rebuilt."), parsed_sentence("The mill was rebuilt.")]
    assert not is_denied(parsed_sentence("The mill was rebuilt."), sentences)


def test_topic_of_the_evidence_need_not_be_repeated() -> None:
    claim = parsed_sentence("The Data Retention and Privacy Act 2012 applies to public libraries.")
    sentences = [parsed_sentence("The act does not apply to public libraries.")]
    title = {word.stem for word in parsed_sentence("Data Retention and Privacy Act 2012").content}
    assert is_denied(claim, sentences, title)
    assert not is_denied(claim, sentences)


def test_same_word_about_another_person_does_not_state_the_claim() -> None:
    sentences = [parsed_sentence("In 2014 the court convicted Jo Ash and acquitted Al Hay.")]
    assert is_denied(parsed_sentence("In 2014 the court acquitted Jo Ash."), sentences)
    assert not is_denied(parsed_sentence("In 2014 the court acquitted Al Hay."), sentences)


MEASURES = (
    "221 metres long", "14 kilograms heavy", "40 percent full", "65 °C hot", "30 minutes away", "1,200 euros",
    "20 acres wide", "1.5 million years old",
)  # fmt: skip
DENIALS = (
    "is not {}", "isn't {}", "isn’t {}", "was never {}", "is hardly {}", "is scarcely {}", "is far from {}",
    "is by no means {}", "is anything but {}", "is nowhere near {}", "is no longer {}", "has never been {}",
    "cannot be {}", "is in no way {}",
)  # fmt: skip


@pytest.mark.parametrize("denial", DENIALS)
@pytest.mark.parametrize("measure", MEASURES)
def test_a_negated_measure_is_denied_by_the_sentence_that_states_it(measure: str, denial: str) -> None:
    stated, negated = f"The Vell Bridge is {measure}.", f"The Vell Bridge {denial.format(measure)}."
    assert is_denied(parsed_sentence(negated), [parsed_sentence("It rained."), parsed_sentence(stated)])
    assert not is_denied(parsed_sentence(stated), [parsed_sentence(stated)])


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The Vell Bridge was not opened in 1937.", "The Vell Bridge was opened in 1937."),
        ("The Vell Bridge was opened, but not on 5 May 1937.", "The Vell Bridge was opened on 5 May 1937."),
        ("The Vell Bridge never had 40 arches.", "The Vell Bridge had 40 arches."),
        ("The Vell Bridge is 221 metres long.", "The Vell Bridge is not 221 metres long."),
    ],
)
def test_a_negated_date_or_count_is_denied_as_well(claim: str, evidence: str) -> None:
    assert is_denied(parsed_sentence(claim), [parsed_sentence(evidence)])


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The Vell Bridge is not 221 metres long.", "The Vell Bridge is not 221 metres long, but 230."),
        ("The Vell Bridge is 221 metres long.", "Not far from Tarn, the Vell Bridge is 221 metres long."),
        ("The Vell Bridge is 221 metres long.", "The Vell Bridge is not only 221 metres long, but wide."),
        ("The bridge is no more than 221 metres long.", "The bridge is no more than 221 metres long."),
        ("The bridge was not opened until 1937.", "The bridge was opened in 1937."),
    ],
)
def test_a_value_that_both_state_is_not_negated(claim: str, evidence: str) -> None:
    assert not is_denied(parsed_sentence(claim), [parsed_sentence(evidence)])


@pytest.mark.parametrize(
    ("text", "value", "denied"),
    [
        ("It was not 212 metres tall when it stood until 1950.", "212", True),
        ("It was not opened until 1950.", "1950", False),
        ("The Vell Bank failed in 1950.", "1950", False),
        ("She landed the plane without fuel in 1950.", "1950", False),
        ("It opened without 221 seats.", "221", True),
        ("It ran non-stop from 1950.", "1950", False),
        ("It was designed by no other than Ida Lunde in 1950.", "Ida", False),
        ("It is something other than 221 metres long.", "221", True),
    ],
)
def test_a_value_is_denied_only_by_what_stands_before_it(text: str, value: str, denied: bool) -> None:
    assert is_negated(parsed_sentence(text), text.index(value)) is denied
