"""The name that a sentence is about, behind a description or an adverbial."""

import pytest

from rarr.backends.rules.subjects import is_subject_between


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Jon Tarv was born in Lisk.", "Jon Tarv", True),
        ("The painter Jon Tarv was born in Lisk.", "Jon Tarv", True),
        ("The great Norwegian painter Jon Tarv lived in Lisk.", "Jon Tarv", True),
        ("The town of Lisk lies in Norway.", "Lisk", True),
        ("In Lisk, Jon Tarv was born.", "Jon Tarv", True),
        ("In 1830 Jon Tarv was born.", "Jon Tarv", True),
        ("In Lisk, Jon Tarv, a painter, was born.", "Jon Tarv", True),
        ("The chief engineer was Jon Tarv, and Ida Brandt drew it.", "Jon Tarv", False),
        ("The council chose Jon Tarv in 1830.", "Jon Tarv", False),
        ("The bridge designed by Jon Tarv was built.", "Jon Tarv", False),
        ("The town honoured Jon Tarv.", "Jon Tarv", False),
        ("The capital of Norway is Lisk.", "Lisk", False),
        ("It was painted by Jon Tarv.", "Jon Tarv", False),
    ],
)
def test_subject(text: str, name: str, expected: bool) -> None:
    start = text.index(name)
    assert is_subject_between(text[:start], text[start + len(name) :]) == expected
