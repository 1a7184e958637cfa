import pytest

from rarr.backends.rules.mutually_exclusive_words import exclusive_terms, same_term


@pytest.mark.parametrize(
    ("text", "words", "label"),
    [
        ("It lies in the northern part.", "northern", "direction"),
        ("It is the second-largest of them.", "second-largest", "rank"),
        ("It is the Largest.", "Largest", "rank"),
        ("His mother came.", "mother", "relation"),
        ("It is made of bronze.", "bronze", "medal"),
    ],
)
def test_exclusive_terms_are_found(text: str, words: str, label: str) -> None:
    [term] = exclusive_terms(text)
    assert (text[term.start : term.end], term.label) == (words, label)


@pytest.mark.parametrize("text", ["northward", "non-public", "goldfish"])
def test_only_whole_words_are_terms(text: str) -> None:
    assert list(exclusive_terms(text)) == []


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("northern", "north", True),
        ("northern", "southern", False),
        ("largest", "biggest", True),
        ("largest", "second-largest", False),
        ("gold", "bronze", False),
        ("copper", "bronze", False),
        ("gold", "copper", None),
        ("brother", "northern", None),
    ],
)
def test_members_of_a_class_exclude_each_other(first: str, second: str, same: bool | None) -> None:
    assert same_term(next(exclusive_terms(first)), next(exclusive_terms(second))) is same
