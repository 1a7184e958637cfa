"""Cells of tables are sentences with headers, at their places; tables that cannot be read are counted."""

import pytest
from hypothesis import given, strategies as st

from rarr.tools.text.blocks_and_sentences import count_unread_tables, table_cells

TABLE = """| Part | Length | Opened |
|:-----|-------:|--------|
| Main span | 1,280 m | 1937 |
|Side|343 m|  |
"""
CELLS = [("Main span", "Length", "1,280 m"), ("Main span", "Opened", "1937"), ("Side", "Length", "343 m")]


@pytest.mark.parametrize(
    ("table", "cells"),
    [
        (TABLE, CELLS),
        ("a | b\n--|--\nx | 5\n", [("x", "b", "5")]),  # without bars at the ends
        ("| | |\n|--|--|\n| x | 5 |\n", [("x", "", "5")]),
        ("| a | b |\n|--|--|\n| x | 5 \\| 6 |\n", [("x", "b", "5 \\| 6")]),
        ("| a | b |\n|--|--|\n| x | n/a |\n| y | — |\n| z | 5 |\n", [("z", "b", "5")]),
    ],
)
def test_cell_has_the_headers_of_its_row_and_column(table: str, cells: list[tuple[str, str, str]]) -> None:
    found = table_cells(table).values()
    assert [(it.row.of(table), it.column.of(table), it.span.of(table)) for it in found] == cells
    assert count_unread_tables(table) == 0


@pytest.mark.parametrize(
    "table",
    [
        "| a | b |\n|--|--|\n| x | 5 |\n| y | 6 | 7 |\n",  # a row of another length
        "| a | b |\n|--|--|\n| x | 5 |\n| x | 6 |\n",  # a header twice
        "| a | b |\n|--|--|\n",
        "> | a | b |\n> |--|--|\n> | x | 5 |\n",
        "<table>\n<tr><td>5</td></tr>\n</table>\n",
    ],
)
def test_tables_that_are_not_read_are_counted(table: str) -> None:
    assert table_cells(table) == {}
    assert count_unread_tables(f"{table}\nSome prose.\n\n{TABLE}") == 1


@given(st.text(alphabet="|a1 \\-:\n\r>`", max_size=60))
def test_cells_of_any_text_are_in_order_in_one_line_and_without_bars(text: str) -> None:
    table = f"| h | k |\n|---|---|\n{text}"
    end = 0
    for span in table_cells(table):
        words = span.of(table)
        assert end <= span.start < span.end
        assert words == words.strip()
        assert "|" not in words.replace("\\\\", "").replace("\\|", "")
        assert "\n" not in words
        end = span.end
