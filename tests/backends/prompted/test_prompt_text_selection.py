"""A check or an edit looks at the sentences of its query, or at all of the text."""

import pytest

from backends.prompted.helpers import query_about
from rarr.backends.prompted.prompts import scope_of

TABLE = "| Mill | Year |\n|---|---|\n| Old | 1919 |\n"
TEXT = f"# Mills\n\nOne was built. It burned\nin 1921. An end came.\n\n{TABLE}"


@pytest.mark.parametrize(
    ("about", "sentences", "before"),
    [
        ("One", "One was built.", "(none)"),
        ("burned", "It burned\nin 1921.", "One was built."),
        ("1921. An", "It burned\nin 1921. An end came.", "One was built."),
        ("Mills", "# Mills", "(none)"),
        ("1919", "| Old | 1919 |", "| Mill | Year |"),
    ],
    ids=["the first sentence", "a sentence", "two sentences", "a heading", "a row of a table"],
)
def test_scope_is_the_sentences_of_the_query_and_the_one_before(
    about: str, sentences: str, before: str
) -> None:
    span, opening = scope_of(TEXT, query_about(TEXT, about), whole=False)
    assert (span.of(TEXT), opening) == (sentences, before)


def test_row_at_the_end_of_a_text_without_a_line_end() -> None:
    text = TEXT.strip()
    assert scope_of(text, query_about(text, "1919"), whole=False).span.of(text) == "| Old | 1919 |"


def test_whole_text() -> None:
    span, before = scope_of(TEXT, query_about(TEXT, "1921"), whole=True)
    assert (span.of(TEXT), before) == (TEXT, "(none)")
