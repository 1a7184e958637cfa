"""Words that change the meaning of a sentence are found, and words of the same meaning in a passage."""

import pytest

from rarr.backends.rules.meaning_changing_words import telling_words
from rarr.backends.rules.parsed_sentence import parsed_sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The pier has 12 lamps.", []),
        ("The pier never had 12 lamps.", ["never"]),
        ("It is false that the pier is long.", ["false"]),
        ("All lamps are lit, but few are new.", ["All", "few"]),
        ("The mill is lighter than the barn.", ["lighter"]),
        ("The mill is more than 12 metres high.", []),
        ("Dogs must be led.", ["must"]),
        ("Not only dogs are led.", ["only"]),
        ("The mill is shut until June, that in Orm too.", ["too"]),
        ("The mill was sold, and so was the barn.", ["so was"]),
        ("The mill is too old, so the barn was sold.", []),
    ],
)
def test_telling_words(text: str, words: list[str]) -> None:
    assert [span.of(text) for span, _ in telling_words(parsed_sentence(text))] == words


@pytest.mark.parametrize(
    ("text", "passage", "alike"),
    [
        ("No dog was hurt.", "Nobody was hurt.", True),
        ("Every dog is led.", "All dogs are led.", True),
        ("Every dog is led.", "Few dogs are led.", False),
        ("Dogs must be led.", "Dogs have to be led.", True),
        ("Dogs must be led.", "Dogs may be led.", False),
        ("The mill is lighter than the barn.", "The barn is heavier.", False),
        ("The mill shut, the barn as well.", "The mill shut. The barn shut too.", True),
        ("The mill shut, the barn as well.", "The mill shut, the barn opened.", False),
    ],
)
def test_passage_with_the_same_telling_words(text: str, passage: str, alike: bool) -> None:
    [(_, finds)] = telling_words(parsed_sentence(text))
    assert any(finds(parsed_sentence(passage))) == alike
