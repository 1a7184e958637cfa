"""Finds and compares dates in a text: full and partial dates, years, decades and centuries."""

import re
from collections.abc import Iterator
from typing import NamedTuple

MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
]  # fmt: skip
_MONTH_NUMBER = {form.lower(): n for n, month in enumerate(MONTHS, 1) for form in (month, month[:3])}
_MONTH_NUMBER["sept"] = 9
_CENTURIES = [
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth", "twenty-first",
]  # fmt: skip
_CENTURY_WORDS = {word: number for number, word in enumerate(_CENTURIES, start=10)}
# Group names end in the letter of their format, because a pattern may use a name only once.
_MONTH = "|".join([*MONTHS, *(rf"{month[:3]}\.?(?!\w)" for month in MONTHS), r"Sept\.?"])
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_YEAR = r"(?:1\d\d\d|20\d\d)"
_ORDINAL = r"(?:st|nd|rd|th)"
_DATE = re.compile(
    rf"""
      # 27 May 1937, 27th of May
      \b(?P<dayA>{_DAY}){_ORDINAL}?(?:\ of)?\ (?P<monthA>{_MONTH})(?:,?\ (?P<yearA>{_YEAR})(?!\d))?
      # May 27, 1937, May 27th; not May 27:30
    | \b(?P<monthB>{_MONTH})\ (?P<dayB>{_DAY}){_ORDINAL}?(?![\d:])\b(?:,?\ (?P<yearB>{_YEAR})(?!\d))?
      # May 1937, May of 1937
    | \b(?P<monthC>{_MONTH}),?\ (?:of\ )?(?P<yearC>{_YEAR})(?!\d)
      # 1937-05-27
    | \b(?P<yearD>{_YEAR})-(?P<monthD>0[1-9]|1[0-2])-(?P<dayD>{_DAY}){_ORDINAL}?(?!\d)
      # 1930s, 1900s
    | \b(?P<decade>1\d\d0|20\d0)s\b
      # 20th century, 18th-century
    | \b(?P<century>\d\d?){_ORDINAL}[ -]centur(?:y|ies)\b
      # twentieth century
    | \b(?P<centuryword>{"|".join(_CENTURY_WORDS)})[ -]centur(?:y|ies)\b
      # 1937, where it is no part of a number, an amount of money or a path
    | (?<![\w.,$€£/])(?P<yearE>{_YEAR})(?![\d,]\d|\.\d|\w|%)
      # in May: a month alone, behind one of these words
    | (?:(?<=\bin\ )|(?<=\bof\ )|(?<=\bsince\ )|(?<=\buntil\ ))(?P<monthF>{_MONTH})\b(?!\ \d)
    """,
    re.VERBOSE,
)
# Words behind a four-digit number that make it a count rather than a year.
_COUNTED = re.compile(
    r"""
      -(?=[a-z])                                                  # 1500-seat
    | [ -](?!was\b|is\b|as\b|his\b|its\b)[a-z]{2,}s\b             # 1500 seats
    | [ -](?:people|men|women|children|feet|m|km|ft|kg|mm|cm|mi)\b
    """,
    re.VERBOSE,
)
_YEAR_BEFORE = re.compile(
    r"""
    (?: \b(?: in | since | until | till | from | by | of | during | between | before | after | and | to
            | circa | c\. | around | the | late | early | mid | year | spring | summer | autumn | fall
            | winter )\s+
      | [(–—/-]\s*
    )$
    """,
    re.VERBOSE | re.IGNORECASE,
)


class Date(NamedTuple):
    """A date in a sentence, `start` to `end`; a missing part is None.

    The years run from `first_year` to `last_year`, both included: a decade spans ten years.
    """

    start: int
    end: int
    first_year: int | None
    last_year: int | None
    month: int | None = None
    day: int | None = None


def dates(text: str) -> Iterator[Date]:
    """Yields the dates of `text`, in order."""
    for match in _DATE.finditer(text):
        date = _date(text, match)
        if date is not None:
            yield date


def same_date(first: Date, second: Date) -> bool | None:
    """Can two dates mean the same? None if they have no part (years, month or day) in common."""
    common = False
    if first.first_year is not None and second.first_year is not None:
        if first.first_year > (second.last_year or 0) or second.first_year > (first.last_year or 0):
            return False
        common = True
    for first_part, second_part in ((first.month, second.month), (first.day, second.day)):
        if first_part is not None and second_part is not None:
            if first_part != second_part:
                return False
            common = True
    return True if common else None


def _date(text: str, match: re.Match[str]) -> Date | None:
    groups = {key.rstrip("ABCDEF"): value for key, value in match.groupdict().items() if value is not None}
    start, end = match.span()
    if "decade" in groups:
        first = int(groups["decade"])
        return Date(start, end, first, first + (99 if first % 100 == 0 else 9))
    if "century" in groups or "centuryword" in groups:
        number = int(groups["century"]) if "century" in groups else _CENTURY_WORDS[groups["centuryword"]]
        return Date(start, end, (number - 1) * 100, number * 100)
    year = int(groups["year"]) if "year" in groups else None
    month = groups.get("month")
    if month is None and _is_count(text, start, end):
        return None
    return Date(start, end, year, year, _month_number(month), int(groups["day"]) if "day" in groups else None)


def _month_number(month: str | None) -> int | None:
    if month is None:
        return None
    return int(month) if month.isdigit() else _MONTH_NUMBER[month.rstrip(".").lower()]


def _is_count(text: str, start: int, end: int) -> bool:
    """Is a bare four-digit number a count of the words behind it, rather than a year?"""
    return bool(_COUNTED.match(text, end)) and not _YEAR_BEFORE.search(text, max(0, start - 12), start)


def is_as_exact(evidence_date: Date, claim_date: Date) -> bool:
    """Has the evidence's date a month and day if the claim's has, and years within those of the claim's?"""
    if (claim_date.month and not evidence_date.month) or (claim_date.day and not evidence_date.day):
        return False
    if claim_date.first_year is None or claim_date.last_year is None:
        return True
    if evidence_date.first_year is None or evidence_date.last_year is None:
        return False
    return (
        claim_date.first_year <= evidence_date.first_year and evidence_date.last_year <= claim_date.last_year
    )
