"""Which headings an article gets."""

import pytest

from rarr.nodes.plan import clean_headings


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ["## Early life", "2. Career", "(3) Death", "- **Legacy**"],
            ["Early life", "Career", "Death", "Legacy"],
        ),
        (["References", "See also", "External links:", "Notes"], []),
        (["History", "HISTORY", "  history "], ["History"]),
        (["Marie Curie", "", "   "], []),
        (["1936 opening", "3D printing"], ["1936 opening", "3D printing"]),
    ],
)
def test_headings_are_clean(lines: list[str], expected: list[str]) -> None:
    assert clean_headings(lines, "Marie Curie") == expected


def test_heading_has_100_characters_at_most() -> None:
    assert len(clean_headings(["a b " * 100], "x")[0]) <= 100
