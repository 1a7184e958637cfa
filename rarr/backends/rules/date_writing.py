"""Writes a date of the evidence in the format of a date of the text."""

import re
from calendar import monthrange

from rarr.backends.rules.dates import MONTHS, Date
from rarr.backends.rules.quantities import ordinal_suffix


def date_like(text_date: Date, old: str, evidence_date: Date) -> str | None:
    """Writes the evidence's year, month and day in the text's format.

    A part that the evidence lacks stays. But if a coarser part changes, the result is None: no source gives
    the new year with the old month. Also None for a day that does not exist.
    """
    if text_date.first_year != text_date.last_year:
        return _span_like(old, evidence_date)
    if evidence_date.first_year != evidence_date.last_year:
        return None
    parts: list[int | None] = []
    changed = False
    for text_part, evidence_part in (
        (text_date.first_year, evidence_date.first_year),
        (text_date.month, evidence_date.month),
        (text_date.day, evidence_date.day),
    ):
        if text_part is not None and evidence_part is None and changed:
            return None
        part = text_part if text_part is None or evidence_part is None else evidence_part
        changed = changed or part != text_part
        parts.append(part)
    year, month, day = parts
    if not _exists(year, month, day):
        return None
    new = old if year is None else re.sub(r"\d{4}", str(year), old)
    new = new if month is None else _month_like(new, month)
    new = new if day is None else _day_like(new, day)
    # A dot behind an abbreviation may also end the sentence.
    return None if old.endswith(".") and not new.endswith(".") else new


def _exists(year: int | None, month: int | None, day: int | None) -> bool:
    """Is there such a day? An unknown year counts as a leap year."""
    return day is None or month is None or day <= monthrange(year or 2000, month)[1]


def _span_like(old: str, evidence_date: Date) -> str | None:
    """Writes the decade or century that holds the evidence's year; None unless `old` is as in "1930s"."""
    if evidence_date.first_year is None or not re.fullmatch(r"\d{3}0s", old):
        return None
    size = 100 if old.endswith("00s") else 10
    return f"{evidence_date.first_year // size * size}s"


def _month_like(old: str, month: int) -> str:
    written = re.search(r"([A-Z][a-z]{2,})(\.?)", old)
    if written is None:
        return re.sub(r"-\d\d-", f"-{month:02}-", old)
    name = MONTHS[month - 1]
    if written[1] not in MONTHS and name != "May":  # an abbreviation
        name = name[:3] + written[2]
    return old.replace(written[0], name, 1)


def _day_like(old: str, day: int) -> str:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", old):
        return f"{old[:-2]}{day:02}"
    return re.sub(
        r"(?<!\d)\d{1,2}(?!\d)(st|nd|rd|th)?",
        lambda match: f"{day}{ordinal_suffix(day) if match[1] else ''}",
        old,
        count=1,
    )
