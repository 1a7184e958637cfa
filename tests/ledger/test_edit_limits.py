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


AUTHORS = "It was written by A. Lunde. B. Holm helped, and C. Reis drew it. It sold well for many years.\n"
PAPER = Settings(preset="paper")


def refusal_of(text: str, old: str, new: str, settings: Settings) -> str:
    start = text.index(old)
    change = Change(start=start, end=start + len(old), new=new)
    sentence = sentence_of(text, change, across=settings.scope == "text")
    return out_of_bounds(text, sentence, change, settings)


def test_paper_edits_over_the_end_of_a_sentence_and_the_default_does_not() -> None:
    change = (AUTHORS, "A. Lunde. B. Holm helped", "B. Holm. A. Lunde helped")
    assert refusal_of(*change, PAPER) == ""
    assert refusal_of(*change, Settings()) == "the change does not lie within one sentence"


def test_paper_allows_50_characters_or_half_of_the_text() -> None:
    text = "Oru is deep. " + "It is old. " * 8  # 101 characters
    assert refusal_of(text, "Oru is deep", "x" * 49, PAPER) == ""
    assert "over max_edit_chars (50)" in refusal_of(text, "Oru is deep", "x" * 51, PAPER)
    assert refusal_of(text, "Oru is deep", "x" * 49, Settings()).endswith("of the sentence")
    short = "Oru is deep. It is old."  # 23 characters
    assert refusal_of(short, "Oru is", "xxxxxxxxxxx", PAPER) == ""  # 11 of 23
    assert refusal_of(short, "Oru is", "x" * 12, PAPER).endswith("(0.5) of the text")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("It is old.\n\n```\nx = 1\n```\n\nIt is red.\n", "old.\n\n```\nx = 1\n```\n\nIt"),
        (f"It is old.\n\n{TABLE}\nIt is red.\n", "5 |\n\nIt"),
        ("It is old.\n\n# Red\n\nIt is red.\n", "Red\n\nIt"),
        ("It is old [3]. It is red.\n", "old [3]. It"),
    ],
    ids=["code", "table", "heading", "citation"],
)
def test_paper_edits_neither_code_nor_tables_nor_headings_nor_citations(text: str, old: str) -> None:
    assert refusal_of(text, old, "new", PAPER) != ""
