"""The words of a model's answer in its source, and the sentences around them."""

import pytest
from makers import evidence

from rarr.backends.rules.model_answer_comparison import answered_passage, as_stated, is_same_answer
from rarr.records import Query


@pytest.mark.parametrize(
    ("answer", "text", "stated"),
    [
        ("4200", "It is 4,200 feet long.", "4,200"),
        ("4200", "Es ist 4.200 Meter lang.", "4.200"),
        ("4200", "It is 14,200 feet long.", "4200"),
        ("12", "1,200 or 12", "12"),
        ("May 1923", "in May 1923", "May 1923"),
    ],
)
def test_answer_is_taken_as_the_text_writes_it(answer: str, text: str, stated: str) -> None:
    assert as_stated(answer, text) == stated


@pytest.mark.parametrize(
    ("answer", "other", "same"),
    [
        ("27 May 1937", "May 27, 1937", True),
        ("eleven", "11", True),
        ("the “Tide Gallery”.", "Lens Hall", False),
        ("Tide Gallery.", "tide gallery", True),
        ("12", "21", False),
        ("", "12", False),
    ],
)
def test_same_answers(answer: str, other: str, same: bool) -> None:
    assert is_same_answer(answer, other) == same


def test_passage_is_cut_around_the_answer_that_is_most_like_the_query() -> None:
    block = evidence(
        "The church has 12 bells. It is old. It stands on a hill. It is grey. It is tall. It is cold."
        " The Orrel Mill has 12 sails. They turn. They creak. They are red."
    )
    query = Query(id="q1", text="The Orrel Mill has how many sails?", start=0, end=1)
    passage = answered_passage(block, query, "12")
    assert "12 sails" in passage.text and "church" not in passage.text
    assert block.text[passage.start : passage.end] == passage.text
    assert answered_passage(block, query, "13") == block
