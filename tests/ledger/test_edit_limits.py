"""The limits of an edit: its size and its place, which in a table is one cell."""

import pytest

from rarr.ledger.edit_limits import out_of_bounds, sentence_of
from rarr.records import Change
from rarr.settings import Settings

TABLE = "| Train | Leaves |\n|---|---|\n| The night train | 5 |\n"


def refusal(old: str, new: str) -> str:
    start = TABLE.index(old)
    change = Change(start=start, end=start + len(old), new=new)
    return out_of_bounds(TABLE, sentence_of(TABLE, change), change, Settings())


def test_a_whole_cell_may_change_since_its_row_counts() -> None:
    assert refusal("5", "7") == ""


@pytest.mark.parametrize("new", ["5 | 6", "5|"])
def test_an_edit_adds_no_cell(new: str) -> None:
    assert refusal("5", new) == "the change adds a cell or a line"


@pytest.mark.parametrize("old", ["The night train", "Leaves", "train | 5", "---"])
def test_text_outside_the_cells_is_not_edited(old: str) -> None:
    assert refusal(old, "x") == "the change does not lie within one sentence"
