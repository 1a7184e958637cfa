"""A passage has a surname, or only another name with that word in it."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.subjects import has_name


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("It was published by Lantern House in 1931.", "Pale Lantern", False),
        ("It was published by Pale Lantern in 1931.", "Pale Lantern", True),
        ("In 1931 Rook left the town for good.", "Ansel Rook", True),
        ("In 1931 Rook sold the Rook House to the town.", "Ansel Rook", True),
        ("In 1931 Clara Rook left the town for good.", "Ansel Rook", False),
    ],
)
def test_word_of_a_longer_name_is_no_surname(text: str, name: str, *, named: bool) -> None:
    assert has_name(parsed_passage(text, "Marn Castle (novel)"), name) is named
