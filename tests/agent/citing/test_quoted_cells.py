"""A cell of a table that stands word for word in the source is cited, though research may not confirm it."""

import pytest

from rarr import cite

ROWS = "| Height | 221 metres |\n| Completed | 1936 |\n| Builder | Six Companies |\n| Place | Nevada |\n"
TABLE = f"# Hoover Dam\n\n| Property | Value |\n|---|---|\n{ROWS}"


def cells(text: str, passage: str) -> dict[str, str]:
    lines = cite(text, passages=[passage], mark_unsupported=True).text.splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    return {row[0]: row[-1] for row in rows}


def test_cell_in_the_same_row_of_the_source_is_cited() -> None:
    assert cells(TABLE, TABLE) == {
        "Height": "221 metres [1]",
        "Completed": "1936 [1]",
        "Builder": "Six Companies [1]",
        "Place": "Nevada [1]",
    }


@pytest.mark.parametrize(
    "source",
    [
        TABLE.replace("Hoover", "Grand Coulee"),
        TABLE.replace("Six Companies", "Eight Companies"),
        TABLE.replace("| Builder |", "| Lender |"),
    ],
)
def test_cell_of_another_subject_or_row_is_not_cited(source: str) -> None:
    assert cells(TABLE, source)["Builder"].removesuffix("[citation needed]") == "Six Companies "


def test_cell_under_another_header_is_not_cited() -> None:
    table = "# Tolk Railway\n\n| Line | Passengers |\n|---|---|\n| Elm | 40 |\n| Oak | 60 |\n"
    assert cells(table, table) == {"Elm": "40 [1]", "Oak": "60 [1]"}
    delays = table.replace("Passengers", "Delays")
    assert cells(table, delays) == {"Elm": "40 [citation needed]", "Oak": "60 [citation needed]"}
