import threading
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from rarr.records import Passage
from rarr.retrievers.rerank import overlap
from rarr.retrievers.rerank.overlap import OverlapReranker, overlap_scores


def passage(text: str, title: str = "") -> Passage:
    when = datetime(2024, 1, 1, tzinfo=UTC)
    return Passage(text=text, title=title, source="s", start=0, end=len(text), retrieved_at=when)


def scores(query: str, *texts: str) -> list[float]:
    return overlap_scores(query, [passage(text) for text in texts])


def test_the_passage_with_the_words_comes_first() -> None:
    near, far = scores("When did the dams open?", "The dam opened in 1936.", "Bread is baked.")
    assert near > far == 0


def test_passage_in_a_script_without_spaces_is_found_by_its_characters() -> None:
    near, far = scores("大桥是哪一年通车的？", "大桥于一九三七年通车。", "门票六元。")
    assert near > far


def test_words_side_by_side_count_more_than_words_apart() -> None:
    together, apart = scores("the Golden Gate", "Golden Gate seen.", "Gate seen golden.")
    assert together > apart


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    rare, *common = scores("stone Paris", "Paris.", "Stone.", "Stone.", "Stone.")
    assert rare > max(common)


def test_a_word_of_the_title_counts_more_than_a_word_of_the_text() -> None:
    titled, plain = overlap_scores("Hoover", [passage("It is high.", "Hoover"), passage("Hoover is high.")])
    assert titled > plain > 0


def test_stop_words_alone_find_nothing() -> None:
    assert scores("Which of the?", "The dam of the river.") == [0.0]
    assert scores("Which?") == []


@given(st.text(st.characters()), st.lists(st.text(st.characters()), max_size=4))
def test_scores_lie_between_0_and_1(query: str, texts: list[str]) -> None:
    texts = [text.encode(errors="replace").decode() for text in texts]
    assert all(
        0 <= score <= 1 + 1e-9 for score in scores(query, *texts, query.encode(errors="replace").decode())
    )


def test_the_order_of_the_passages_does_not_matter() -> None:
    texts = ["The dam opened in 1936.", "The dam is high.", "Bread is baked."]
    found = scores("When did the dam open?", *texts)
    assert scores("When did the dam open?", *texts[::-1]) == pytest.approx(found[::-1])
    assert all(first > second for first, second in pairwise(found))


async def test_it_runs_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "overlap_scores", lambda *_: [threading.get_ident()])
    assert await OverlapReranker().score("", []) != [threading.get_ident()]
