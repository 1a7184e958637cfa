import pytest

from rarr.retrievers.corpus.index_words import terms


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Which state produces the most peaches?", ["state", "produc", "peach"]),
        ("How many people live in the US?", ["peopl", "live", "us"]),
        ("peach peaches PEACH", ["peach"]),
        ("Café naïve ﬁrst", ["cafe", "naiv", "first"]),
        ("東京", ["東", "京"]),
        ("हिन्दी שלום", ["हिन्दी", "שלום"]),
        ("What is it?", ["what", "is", "it"]),
        ('AND OR NOT title:x^2 [a TO b] "c" ~* \\', ["titl", "x", "2", "b", "c"]),
        ("?!", []),
        ("", []),
    ],
)
def test_terms_are_the_stems_of_content_words(query: str, expected: list[str]) -> None:
    assert terms(query) == expected


def test_long_queries_are_cut() -> None:
    assert len(terms(" ".join(f"word{number}" for number in range(1000)))) == 64
