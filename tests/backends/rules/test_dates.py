import pytest

from rarr.backends.rules.dates import dates, same_date


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("27 May 1937", (1937, 1937, 5, 27)),
        ("27th of May, 1937", (1937, 1937, 5, 27)),
        ("May 27, 1937", (1937, 1937, 5, 27)),
        ("Sept. 3, 1939", (1939, 1939, 9, 3)),
        ("Dec 25, 1999", (1999, 1999, 12, 25)),
        ("1937-05-27", (1937, 1937, 5, 27)),
        ("May 1937", (1937, 1937, 5, None)),
        ("on May 27", (None, None, 5, 27)),
        ("on 27 May", (None, None, 5, 27)),
        ("in May", (None, None, 5, None)),
        ("in 1937", (1937, 1937, None, None)),
        ("the 1930s", (1930, 1939, None, None)),
        ("the 1900s", (1900, 1999, None, None)),
        ("the 20th century", (1900, 2000, None, None)),
        ("the eighteenth century", (1700, 1800, None, None)),
    ],
)
def test_date_is_read(text: str, read: tuple[int | None, ...]) -> None:
    [date] = dates(text)
    assert (date.first_year, date.last_year, date.month, date.day) == read


@pytest.mark.parametrize(
    "text",
    [
        "1500 seats",
        "a 1500-seat hall",
        "1200 people",
        "$1937",
        "1,937",
        "1937.5",
        "1937%",
        "It may rain.",
        "2150",
    ],
)
def test_words_that_are_no_date(text: str) -> None:
    assert list(dates(text)) == []


@pytest.mark.parametrize("text", ["in 1937 ships were built", "1937 was", "Since 1900 feet"])
def test_year_before_a_word_that_looks_like_a_unit_is_a_date(text: str) -> None:
    assert len(list(dates(text))) == 1


def test_the_place_is_the_date_alone() -> None:
    text = "It opened on 27 May 1937 at noon."
    [date] = dates(text)
    assert text[date.start : date.end] == "27 May 1937"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("27 May 1937", "May 27, 1937", True),
        ("27 May 1937", "in 1937", True),
        ("27 May 1937", "May 1937", True),
        ("27 May 1937", "on 27 May", True),
        ("in 1937", "the 1930s", True),
        ("in 1937", "the 20th century", True),
        ("27 May 1937", "28 May 1937", False),
        ("27 May 1937", "27 June 1937", False),
        ("in 1937", "in 1938", False),
        ("in 1937", "the 1940s", False),
        ("in May", "in June", False),
        ("in May", "in 1937", None),
    ],
)
def test_compares_the_parts_in_common(first: str, second: str, same: bool | None) -> None:
    [date], [other] = dates(first), dates(second)
    assert same_date(date, other) is same
    assert same_date(other, date) is same
