"""Citation recall, precision and rate of WikiGenBench, by hand."""

import pytest
from hypothesis import given, strategies as st

from rarr.evals.metrics import CitedSentence, citation_precision, citation_rate, citation_recall, mean

sentences = st.builds(
    CitedSentence,
    alone=st.lists(st.sampled_from([True, False, None]), max_size=3).map(tuple),
    words=st.integers(0, 9),
)
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


def test_unjudged_sentences_do_not_count_in_wikigenbench_unless_another_citation_decides() -> None:
    unjudged, decided = CitedSentence(alone=(None,), words=3), CitedSentence(alone=(None, True), words=2)
    assert [metric([unjudged]) for metric in (citation_recall, citation_precision, citation_rate)] == [
        None
    ] * 3
    text = [unjudged, decided, CitedSentence(alone=(False,), words=2)]
    assert [metric(text) for metric in (citation_recall, citation_precision, citation_rate)] == [0.5] * 3


@given(st.lists(sentences))
def test_wikigenbench_precision_is_at_most_recall(text: list[CitedSentence]) -> None:
    judged = [sentence for sentence in text if None not in sentence.alone]
    assert (citation_precision(judged) or 0) <= (citation_recall(judged) or 0) + 1e-9
