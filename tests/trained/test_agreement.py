"""The encoder that ships reads, the rules compare."""

import pytest
from makers import evidence

from rarr.embedded.questions import questions
from rarr.encoder.model import Encoder, shipped
from rarr.encoder.weights import Calibration
from rarr.records import Agreement, Query
from rarr.trained.agreement import TrainedAgreement, agreement

PASSAGE = (
    "Construction of the Golden Gate Bridge began on January 5, 1933. The bridge opened to traffic on May 27,"
    " 1937. It was designed by the engineer Joseph Strauss."
)


class Eager(Encoder):
    """The encoder that ships, which speaks up sooner than it is calibrated to."""

    @property
    def calibration(self) -> Calibration:
        fitted = shipped().calibration
        sooner = fitted.disagrees.model_copy(update={"threshold": 0.02})
        return fitted.model_copy(update={"disagrees": sooner})


def checked(text: str, value: str, passage: str = PASSAGE, encoder: Encoder | None = None) -> Agreement:
    place = text.index(value)
    [asked] = [one for one in questions(text, None) if one.start <= place < one.end]
    query = Query(id="q1", **asked.model_dump())
    return agreement(encoder or shipped(), text, None, query, evidence(passage))


def test_another_value_in_the_same_role_disagrees_with_its_words() -> None:
    found = checked("The Golden Gate Bridge opened to traffic in 1935.", "1935", encoder=Eager())
    assert (found.verdict, found.text_answer) == ("disagrees", "1935")
    assert "1937" in found.evidence_answer
    assert found.confidence is not None
    assert 0 < found.confidence <= 1


@pytest.mark.parametrize("value", ["1937", "Joseph Strauss"])
def test_the_same_value_in_the_same_role_agrees(value: str) -> None:
    text = "The Golden Gate Bridge opened to traffic in 1937. The bridge was designed by Joseph Strauss."
    assert checked(text, value).verdict == "agrees"


def test_what_the_passage_does_not_say_is_not_contradicted() -> None:
    text = "The Golden Gate Bridge cost 35 million dollars."
    assert checked(text, "35 million").verdict in ("irrelevant", "unknown")


def test_a_passage_about_something_else_says_nothing() -> None:
    passage = "The Humber Bridge opened to traffic on 24 June 1981. It was designed by Freeman Fox."
    found = checked("The Golden Gate Bridge opened to traffic in 1937.", "1937", passage)
    assert found.verdict != "disagrees"


async def test_a_query_about_no_value_is_unknown() -> None:
    query = Query(id="q1", text="What is it?", start=0, end=3)
    found = await TrainedAgreement(shipped()).check("It is so.", None, query, evidence(PASSAGE))
    assert found.verdict == "unknown"
