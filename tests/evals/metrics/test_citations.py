"""Citation recall, precision and rate of WikiGenBench, and the recall and precision of ALCE, by hand."""

import pytest
from hypothesis import given, strategies as st

from rarr import InputError
from rarr.evals.metrics import (
    CitedSentence,
    alce_precision,
    alce_recall,
    citation_precision,
    citation_rate,
    citation_recall,
    cited_share,
    mean,
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
    alone, without = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
    return CitedSentence(draw(JUDGEMENTS), alone, without, words=draw(st.integers(0, 9)))


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


ARTICLE = [
    CitedSentence(alone=(True, False), words=10),  # one of two citations entails it
    CitedSentence(alone=(True,), words=4),
    CitedSentence(alone=(False,), words=5),
    CitedSentence(words=1),  # without a citation
]


def test_wikigenbench_of_an_article() -> None:
    """Recall (1 + 1 + 0 + 0) / 4, precision (1/2 + 1 + 0 + 0) / 4, rate (10 + 4) / 20."""
    assert (citation_recall(ARTICLE), citation_precision(ARTICLE), citation_rate(ARTICLE)) == (
        0.5,
        0.375,
        0.7,
    )
    assert cited_share(ARTICLE) == 0.75


def test_wikigenbench_of_three_articles_is_the_mean_over_articles_and_not_over_sentences() -> None:
    articles = [ARTICLE, [CitedSentence(alone=(True,), words=8)], [CitedSentence(words=6)]]
    recalls, precisions, rates = (
        [metric(article) for article in articles]
        for metric in (citation_recall, citation_precision, citation_rate)
    )
    assert mean(recalls).value == pytest.approx((0.5 + 1 + 0) / 3)
    assert mean(precisions).value == pytest.approx((0.375 + 1 + 0) / 3)
    assert mean(rates).value == pytest.approx((0.7 + 1 + 0) / 3)
    joined = [sentence for article in articles for sentence in article]
    assert citation_precision(joined) == pytest.approx((0.5 + 1 + 0 + 0 + 1 + 0) / 6)
    assert citation_rate(joined) == pytest.approx((10 + 4 + 8) / 34)


def test_wikigenbench_and_alce_differ_where_only_both_citations_entail_a_sentence() -> None:
    assert (citation_recall([TOGETHER]), alce_recall([TOGETHER])) == (0, 1)
    assert (citation_precision([TOGETHER]), alce_precision([TOGETHER])) == (0, 1)


def test_wikigenbench_counts_an_uncited_sentence_in_precision_and_alce_does_not() -> None:
    assert (citation_precision([SUPPORTED, UNCITED]), alce_precision([SUPPORTED, UNCITED])) == (0.5, 1)


def test_unjudged_sentences_do_not_count_in_wikigenbench_unless_another_citation_decides() -> None:
    unjudged, decided = CitedSentence(alone=(None,), words=3), CitedSentence(alone=(None, True), words=2)
    assert [metric([unjudged]) for metric in (citation_recall, citation_precision, citation_rate)] == [
        None
    ] * 3
    text = [unjudged, decided, CitedSentence(alone=(False,), words=2)]
    assert [metric(text) for metric in (citation_recall, citation_precision, citation_rate)] == [0.5] * 3


def test_alce_precision_is_unjudged_without_judgements_of_the_other_citations() -> None:
    assert precise(CitedSentence(True, (True, False))) == (True, None)


@pytest.mark.parametrize(
    ("text", "recall", "precision", "cited"),
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
def test_alce_of_a_text(
    text: list[CitedSentence], recall: float | None, precision: float | None, cited: float | None
) -> None:
    assert (alce_recall(text), alce_precision(text), cited_share(text)) == (recall, precision, cited)


def test_sentence_without_citations_is_not_supported() -> None:
    assert supported(CitedSentence(entailed_by_all=True)) is False


def test_judgements_of_different_citations_are_refused() -> None:
    with pytest.raises(InputError, match="2 judgements alone and 1 without"):
        CitedSentence(True, (True, True), (False,))


@given(st.lists(sentences()))
def test_each_lies_between_0_and_1(text: list[CitedSentence]) -> None:
    for metric in (
        citation_recall,
        citation_precision,
        citation_rate,
        alce_recall,
        alce_precision,
        cited_share,
    ):
        value = metric(text)
        assert value is None or 0 <= value <= 1


@given(st.lists(sentences()))
def test_wikigenbench_precision_is_at_most_recall(text: list[CitedSentence]) -> None:
    judged = [sentence for sentence in text if None not in sentence.alone]
    assert (citation_precision(judged) or 0) <= (citation_recall(judged) or 0) + 1e-9


@given(sentences(), st.integers(0, 2))
def test_order_of_citations_does_not_matter(sentence: CitedSentence, by: int) -> None:
    turned = CitedSentence(
        sentence.entailed_by_all,
        sentence.alone[by:] + sentence.alone[:by],
        sentence.without[by:] + sentence.without[:by],
    )
    assert alce_precision([turned]) == alce_precision([sentence])
    assert citation_precision([turned]) == citation_precision([sentence])
    assert supported(turned) is supported(sentence)
