import pytest

from rarr.backends.rules.words import folded_text, stem, word_tokens


@pytest.mark.parametrize(
    ("word", "other"),
    [("opened", "inaugurated"), ("films", "film"), ("Bridge's", "bridges"), ("wife", "married")],
)
def test_stems_that_are_shared(word: str, other: str) -> None:
    assert stem(word) == stem(other)


def test_stems_that_differ() -> None:
    assert stem("bridge") != stem("tunnel")


@pytest.mark.parametrize(("text", "folded"), [("Évian", "evian"), ("D’Arc", "d'arc"), ("STRASSE", "strasse")])
def test_fold(text: str, folded: str) -> None:
    assert folded_text(text) == folded


def test_tokens_have_places_and_stop_words_no_stem() -> None:
    assert [tuple(token) for token in word_tokens("The bridges")] == [
        (0, 3, "The", ""),
        (4, 11, "bridges", "bridg"),
    ]
