"""The headers of a table tell what its numbers are."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.table_columns import header_of, is_of_column, is_row

TABLE = parsed_passage(
    "The harbour.\n\n| Quay | Ships 1980 | Ships 1990 |\n|---|---|---|\n"
    "| North | 41 | 56 |\n| South | 12 | 19 |\n",
    "Ormsby",
)


def test_header_is_the_first_row() -> None:
    rows = [part for part in TABLE.sentences if is_row(part)]
    assert [header_of(row, TABLE) for row in rows] == [None, rows[0], rows[0]]
    assert [is_row(part) for part in TABLE.sentences] == [False, True, True, True]


@pytest.mark.parametrize(
    ("claim", "value", "is_told"),
    [
        ("The north quay had 56 ships in 1990.", "56", True),
        ("The north quay had 56 ships in 1980.", "56", False),
        ("The north quay had 41 ships in 1980.", "41", True),
        ("The north quay had 56 ships.", "56", False),
        ("From 1980 to 1990 the north quay had 56 ships.", "56", False),
    ],
)
def test_claim_tells_the_column_of_a_value(claim: str, value: str, is_told: bool) -> None:
    row = next(part for part in TABLE.sentences if "North" in part.text)
    cell = next(each for each in row.values if row.text[each.start : each.end] == value)
    assert is_of_column(parsed_sentence(claim), row, cell, TABLE) is is_told
