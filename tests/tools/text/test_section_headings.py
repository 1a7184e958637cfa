"""Which headings an article gets."""

import pytest

from rarr.tools.text.section_headings import clean_headings


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
        (["12 Angry Men", "9 November 1989"], ["12 Angry Men", "9 November 1989"]),
        (["2.1 Early life", "3: Career", "## 4. Death"], ["Early life", "Career", "Death"]),
    ],
)
def test_headings_are_clean(lines: list[str], expected: list[str]) -> None:
    assert clean_headings(lines, "Marie Curie") == expected


def test_heading_has_100_characters_at_most() -> None:
    assert len(clean_headings(["a b " * 100], "x")[0]) <= 100
