"""How far evidence attributes a sentence, by the encoder that ships and the rules."""

from makers import evidence

from rarr.encoder.model import shipped
from rarr.tools.document import Span
from rarr.trained.support import TrainedVerifier, supports

PASSAGE = "Elm Mill was built in 1804 by Thomas Hay. It burnt down in 1911 and was never rebuilt."


def support(text: str, passage: str = PASSAGE) -> float:
    [found] = supports(shipped(), text, None, [Span(0, len(text))], evidence(passage))
    assert found is not None
    return found


def test_what_is_said_is_supported_more_than_what_is_not() -> None:
    said = support("Thomas Hay built Elm Mill in 1804.")
    assert 0 <= support("Elm Mill ground barley for three villages.") < said <= 1


def test_long_evidence_is_read_where_it_speaks_of_the_claim() -> None:
    passage = "The weather was fine. " * 200 + PASSAGE + " The weather was fine." * 200
    assert support("Thomas Hay built Elm Mill in 1804.", passage) > support(
        "Elm Mill had five floors.", passage
    )


def test_a_span_without_a_word_is_not_judged() -> None:
    assert supports(shipped(), "...", None, [Span(0, 3)], evidence(PASSAGE)) == [None]


async def test_each_sentence_has_a_class() -> None:
    text = "Thomas Hay built Elm Mill in 1804. Elm Mill sold paper to China."
    first = text.index(" Elm Mill sold")
    spans = [Span(0, first), Span(first + 1, len(text))]
    found = await TrainedVerifier(shipped(), 0.55).classify(text, None, spans, evidence(PASSAGE))
    assert found[0] == "attributable"
    assert found[1] in ("extrapolatory", "contradictory")
