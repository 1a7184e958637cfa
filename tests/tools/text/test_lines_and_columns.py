"""Lines and columns count from 1, in code points."""

import pytest
from hypothesis import given, strategies as st

from rarr.tools.text.lines_and_columns import Lines


@pytest.mark.parametrize(
    ("text", "offset", "place"),
    [
        ("", 0, (1, 1)),
        ("ab", 2, (1, 3)),
        ("a\nb", 1, (1, 2)),
        ("a\nb", 2, (2, 1)),
        ("a\r\nb", 3, (2, 1)),
        ("🌉 b", 2, (1, 3)),
        ("e\u0301x\n", 2, (1, 3)),
        ("a\u2028b", 2, (1, 3)),
        ("a\n", 2, (2, 1)),
    ],
)
def test_place_of_a_character(text: str, offset: int, place: tuple[int, int]) -> None:
    assert Lines(text).at(offset) == place


@given(st.text(alphabet="ab\n\r🌉"))
def test_line_and_column_lead_back_to_the_character(text: str) -> None:
    lines = Lines(text)
    rows = text.split("\n")
    for offset in range(len(text) + 1):
        line, column = lines.at(offset)
        assert sum(len(row) + 1 for row in rows[: line - 1]) + column - 1 == offset
