"""A chosen statement counts where its source has the quote, and no other value in the claim's place."""

import pytest
from makers import evidence

from rarr.backends.rules.chosen_statements import asked_sentence, chosen_agreement
from rarr.records import Agreement, Query

SENTENCE = "The Orrel Mill burned down in 1921."
TEXT = f"# Mills of Orrel\n\nThe Orrel Mill is old. {SENTENCE}"
START = TEXT.index(SENTENCE)
QUERY = Query(id="q1", text=f"Is it true that {SENTENCE[:-1]}?", start=START, end=START + len(SENTENCE))
QUOTE = "flames took it"


def chosen(
    passage: str, *, replaced: tuple[str, str] | None = None, title: str = "Orrel Mill"
) -> Agreement | None:
    block = evidence(passage).model_copy(update={"title": title})
    return chosen_agreement(TEXT, None, QUERY, block, QUOTE, replaced)


def test_chosen_sentence_agrees_by_the_quote() -> None:
    agreement = chosen("The Orrel Mill stood empty when flames took it in 1921.")
    assert agreement is not None
    assert (agreement.verdict, agreement.text_answer, agreement.evidence_answer) == (
        "agrees",
        SENTENCE,
        QUOTE,
    )


def test_sentence_is_not_taken_where_the_rules_read_another_value() -> None:
    passage = "The Orrel Mill burned down in 1923. Then flames took it."
    assert chosen(passage) is None
    assert chosen(passage, replaced=("burned", "fell")) is not None


def test_passage_is_cut_around_the_quote() -> None:
    sentences = [f"It had {number} floors then." for number in range(12, 20)]
    agreement = chosen(" ".join([*sentences, "In 1921 flames took it.", *sentences]))
    assert agreement is not None and agreement.read_in is not None
    assert QUOTE in agreement.read_in.text
    assert len(agreement.read_in.text) < 150


@pytest.mark.parametrize(
    ("passage", "title"),
    [("It burned in 1921.", "Orrel Mill"), ("In 1921 flames took it.", "Vinter Bridge")],
    ids=["no quote", "another title"],
)
def test_other_sources_say_nothing_of_the_sentence(passage: str, title: str) -> None:
    assert chosen(passage, title=title) is None


@pytest.mark.parametrize("quote", ["", "The", "flames", "The Orrel Mill", "Orrel"])
def test_quote_has_words_beside_the_names(quote: str) -> None:
    block = evidence("In 1921 flames took the Orrel Mill.")
    assert chosen_agreement(TEXT, None, QUERY, block, "flames took", None) is not None
    assert chosen_agreement(TEXT, None, QUERY, block, quote, None) is None


def test_sentence_is_asked_with_what_stands_before_it() -> None:
    before = "When did it burn?\n# Mills of Orrel\nThe Orrel Mill is old."
    assert asked_sentence(TEXT, "When did it burn?", QUERY) == (before, SENTENCE)


@pytest.mark.parametrize(
    ("passage", "quote", "counts"),
    [
        ("The mill **must not** be sold.", "The mill must not be sold", True),
        ("Flames took the mill in 1921.", "took the mill in 1921", True),
        ("Flames took the dam in 1923; it burned in 1921.", "took the dam in 1923", False),
    ],
    ids=["emphasis", "the same year", "another year"],
)
def test_quote_may_leave_out_emphasis_and_has_no_other_number(passage: str, quote: str, counts: bool) -> None:
    block = evidence(passage)
    assert (chosen_agreement(TEXT, None, QUERY, block, quote, None) is not None) == counts
