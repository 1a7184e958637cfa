"""The headers of a table tell what its numbers are."""

import pytest

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.ledger.table_rows import header_of, is_of_another_row, is_of_column, is_row

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
        ("The north quay had 41 ships in 1980 and 56 ships in 1990.", "56", True),
        ("The north quay had 56 ships in 1980 and 41 ships in 1990.", "56", False),
        ("The north quay had 56 ships.", "56", False),
        ("From 1980 to 1990 the north quay had 56 ships.", "56", False),
    ],
)
def test_claim_tells_the_column_of_a_value(claim: str, value: str, is_told: bool) -> None:
    row = next(part for part in TABLE.sentences if "North" in part.text)
    cell = next(each for each in row.values if row.text[each.start : each.end] == value)
    parsed = parsed_sentence(claim)
    own = next(each for each in parsed.values if claim[each.start : each.end] == value)
    assert is_of_column(parsed, own, row, cell, TABLE) is is_told


BLADES = parsed_passage(
    "| Deck | Blade | Order | Screws |\n|---|---|---|---|\n| 40 cm | Round | ZX-11 | 3 |\n"
    "| 40 cm | Flat | ZX-12 | 4 |\n"
    "| 60 cm | Round | ZX-21 | 5 |\n| 60 cm | Flat | ZX-22 | 6 |\n",
    "Mower",
)


@pytest.mark.parametrize(
    ("claim", "value", "is_other"),
    [
        ("The flat blade of the 40 cm deck has 4 screws.", "4", False),
        ("The flat blade of the 40 cm deck has 6 screws.", "6", True),
        ("The round blade of the 40 cm deck has 4 screws.", "4", True),
        ("For the flat blade of the 60 cm deck, order ZX-22.", "ZX-22", False),
        ("For the flat blade of the 60 cm deck, order ZX-12.", "ZX-12", True),
        ("The blade has 4 screws.", "4", False),
        ("The flat blade has 4 screws with 40 cm, and with 60 cm it has 6 screws.", "4", False),
        ("The flat blade has 4 screws with 40 cm, and with 60 cm it has 6 screws.", "6", False),
    ],
)
def test_claim_tells_another_row_than_that_of_its_value(claim: str, value: str, is_other: bool) -> None:
    parsed = parsed_sentence(claim)
    held = next(each for each in parsed.values if claim[each.start : each.end] == value)
    rows = [part for part in BLADES.sentences if value in part.text.replace("|", " ").split()]
    assert [is_of_another_row(parsed, held, row, BLADES) for row in rows] == [is_other]


TWO = parsed_passage(
    "| Line | Passengers |\n|---|---:|\n| Elm | 660 |\n| Oak | 12 |\n\n"
    "| Stop | Opened |\n| :-- | --- |\n| Hay | 1909 |\n\nThe lines were built by Tarn.",
    "Lines",
)


def test_blank_line_ends_a_table() -> None:
    headers = [header_of(row, TWO) for row in TWO.sentences if is_row(row)]
    assert [header and header.text for header in headers] == [
        None, "| Line | Passengers |", "| Line | Passengers |", None, "| Stop | Opened |"
    ]  # fmt: skip


def test_row_without_headers_has_none() -> None:
    cut = parsed_passage("| Oak | 12 |\n| Hay | 13 |\n", "Lines")
    assert [header_of(row, cut) for row in cut.sentences] == [None] * len(cut.sentences)


def test_row_is_no_subject_of_the_next_row_or_of_the_text_behind() -> None:
    assert [part.text for part in TWO.sentences if "Elm" in part.text] == ["| Elm | 660 |"]


def test_list_behind_a_table_makes_no_headers() -> None:
    told = parsed_passage(
        "The mill has parts.\n- One is old.\n\n| Part | Year |\n|-|-|\n| Mill | 1900 |\n| Barn | 1910 |\n\n"
        "- One burned.",
        "Mill",
    )
    assert [told.sentences[number].text for number in told.header_rows] == ["| Part | Year |"]
