"""Words that the passages have only behind a "not" or "never" do not confirm a claim."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.words_only_denied import words_only_denied

DENIED = [
    ("The vault of the Elm bank holds coins.", ["coins"],
     "The vault of the Elm bank holds paper. The bank never kept coins."),
    ("The mill of Tarn has been the scene of a film.", ["scene"],
     "The mill of Tarn has been in a film. The mill has yet to be a scene for one."),
    ("The pump of the boiler needs a filter.", ["filter"],
     "The boiler needs a pump. The pump works without a filter."),
    ("Too many pears cause coughs.", ["cause", "coughs"],
     "It is a misconception that too many pears cause coughs. Many pears are sweet."),
    ("The hall was heated with coal.", ["coal"], "The hall was heated with wood rather than coal."),
]  # fmt: skip
KEPT = [
    ("The bank kept coins.", "The bank kept coins. It never kept coins of gold."),
    ("The bank never kept coins.", "The bank kept paper. It never kept coins."),
    ("The hall was heated with wood rather than coal.", "The hall was heated with wood, and not with coal."),
    ("Pets are forbidden in the hall.", "The hall is open. No pets, please."),
    ("The bank kept not only paper but coins.", "The bank kept not only paper but coins."),
]


@pytest.mark.parametrize("claim, words, passage", DENIED)
def test_words_that_are_only_denied_are_found(claim: str, words: list[str], passage: str) -> None:
    read = parsed_passage(passage, "")
    assert [span.of(claim) for span in words_only_denied(parsed_sentence(claim), [read])] == words


@pytest.mark.parametrize("claim, passage", KEPT)
def test_words_that_are_stated_are_kept(claim: str, passage: str) -> None:
    read = parsed_passage(passage, "")
    assert not list(words_only_denied(parsed_sentence(claim), [read]))
