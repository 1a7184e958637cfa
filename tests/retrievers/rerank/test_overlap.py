from datetime import UTC, datetime

from hypothesis import given, strategies as st

from rarr.records import Passage
from rarr.retrievers.rerank.overlap import overlap_scores


def passage(text: str, title: str = "") -> Passage:
    when = datetime(2024, 1, 1, tzinfo=UTC)
    return Passage(text=text, title=title, source="s", start=0, end=len(text), retrieved_at=when)


def scores(query: str, *texts: str) -> list[float]:
    return overlap_scores(query, [passage(text) for text in texts])


def test_the_passage_with_the_words_comes_first() -> None:
    near, far = scores("When did the dams open?", "The dam opened in 1936.", "Bread is baked.")
    assert near > far == 0


def test_a_word_of_the_title_counts_more_than_a_word_of_the_text() -> None:
    titled, plain = overlap_scores("Hoover", [passage("It is high.", "Hoover"), passage("Hoover is high.")])
    assert titled > plain > 0


@given(st.text(st.characters()), st.lists(st.text(st.characters()), max_size=4))
def test_scores_lie_between_0_and_1(query: str, texts: list[str]) -> None:
    texts = [text.encode(errors="replace").decode() for text in texts]
    assert all(
        0 <= score <= 1 + 1e-9 for score in scores(query, *texts, query.encode(errors="replace").decode())
    )
