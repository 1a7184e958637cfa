"""ALCE's citation recall and precision, and WikiGenBench's rate, by hand."""

import pytest
from hypothesis import given, strategies as st

from rarr import InputError
from rarr.evals.metrics import (
    CitedSentence,
    citation_precision,
    citation_rate,
    citation_recall,
    precise,
    supported,
)

UNCITED = CitedSentence()
SUPPORTED = CitedSentence(True, (True,), (False,))
UNSUPPORTED = CitedSentence(False, (False,), (False,))
ONE_IDLE = CitedSentence(True, (True, False), (False, True))  # the second says nothing of it
TOGETHER = CitedSentence(True, (False, False), (False, False))  # only both entail it
EITHER = CitedSentence(True, (True, True), (True, True))  # each would do
UNJUDGED = CitedSentence(None, (None,), (False,))

JUDGEMENTS = st.sampled_from([True, False, None])


@st.composite
def sentences(draw: st.DrawFn) -> CitedSentence:
    pairs = draw(st.lists(st.tuples(JUDGEMENTS, JUDGEMENTS), max_size=3))
    return CitedSentence(draw(JUDGEMENTS), tuple(a for a, _ in pairs), tuple(b for _, b in pairs))


@pytest.mark.parametrize(
    ("sentence", "judged"),
    [
        (SUPPORTED, (True,)),
        (UNSUPPORTED, (False,)),
        (ONE_IDLE, (True, False)),
        (TOGETHER, (True, True)),
        (EITHER, (True, True)),  # ALCE punishes what says nothing, not what says it again
        (UNCITED, ()),
        (CitedSentence(False, (True,), (False,)), (False,)),  # nothing is precise where all do not entail
    ],
)
def test_precise_citations(sentence: CitedSentence, judged: tuple[bool, ...]) -> None:
    assert precise(sentence) == judged


@pytest.mark.parametrize(
    ("whole", "alone", "without", "judged"),
    [
        (True, True, None, True),  # alone settles it
        (True, None, False, True),  # so does being needed
        (True, None, True, None),
        (True, False, None, None),
        (False, None, None, False),
        (None, True, False, None),
        (None, False, True, False),  # idle, whatever the whole
    ],
)
def test_unjudged_citation_is_settled_only_by_the_others(
    whole: bool | None, alone: bool | None, without: bool | None, judged: bool | None
) -> None:
    assert precise(CitedSentence(whole, (alone, True), (without, True)))[0] is judged


@pytest.mark.parametrize(
    ("text", "recall", "precision", "rate"),
    [
        ([SUPPORTED], 1.0, 1.0, 1.0),
        ([SUPPORTED, UNCITED], 1 / 2, 1 / 1, 1 / 2),
        ([SUPPORTED, ONE_IDLE, UNSUPPORTED, UNCITED], 2 / 4, 2 / 4, 3 / 4),
        ([TOGETHER, UNJUDGED], 1 / 1, 2 / 2, 2 / 2),
        ([UNCITED], 0.0, 0.0, 0.0),
        ([UNJUDGED], None, None, 1.0),
        ([], None, None, None),
    ],
)
def test_of_a_text(
    text: list[CitedSentence], recall: float | None, precision: float | None, rate: float | None
) -> None:
    assert (citation_recall(text), citation_precision(text), citation_rate(text)) == (recall, precision, rate)


def test_sentence_without_citations_is_not_supported() -> None:
    assert supported(CitedSentence(entailed_by_all=True)) is False


def test_judgements_of_different_citations_are_refused() -> None:
    with pytest.raises(InputError, match="2 judgements alone and 1 without"):
        CitedSentence(True, (True, True), (False,))


@given(st.lists(sentences()))
def test_each_lies_between_0_and_1(text: list[CitedSentence]) -> None:
    for metric in (citation_recall, citation_precision, citation_rate):
        value = metric(text)
        assert value is None or 0 <= value <= 1


@given(sentences(), st.integers(0, 2))
def test_order_of_citations_does_not_matter(sentence: CitedSentence, by: int) -> None:
    turned = CitedSentence(
        sentence.entailed_by_all,
        sentence.alone[by:] + sentence.alone[:by],
        sentence.without[by:] + sentence.without[:by],
    )
    assert citation_precision([turned]) == citation_precision([sentence])
    assert supported(turned) is supported(sentence)
