"""Nouns after numbers, and with their articles."""

import pytest

from rarr.tools.text.plurals_and_articles import counted, kind_of


@pytest.mark.parametrize(
    ("n", "noun", "expected"),
    [
        (0, "run", "0 runs"),
        (1, "run", "1 run"),
        (1000, "row", "1,000 rows"),
        (1, "query", "1 query"),
        (2, "query", "2 queries"),
        (2, "day", "2 days"),
        (2, "branch", "2 branches"),
        (2, "more document", "2 more documents"),
    ],
)
def test_nouns_are_counted(n: int, noun: str, expected: str) -> None:
    assert counted(n, noun) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, "an int"), ("", "a str"), (object(), "an object"), ([], "a list"), (OSError(), "an OSError")],
)
def test_class_names_have_an_article(value: object, expected: str) -> None:
    assert kind_of(value) == expected
