"""Embedded editing: the contradicted value replaced by the evidence's, in the form that the text uses."""

import re

from rarr.embedded.dates import MONTHS, Date
from rarr.embedded.numbers import CARDINALS, ORDINALS, Number, ordinal_suffix
from rarr.embedded.units import from_base
from rarr.embedded.values import Value, values
from rarr.records import Change, Check, Evidence, Query
from rarr.tools.document import Span, sentences

_MAGNITUDES = {"trillion": 1e12, "billion": 1e9, "million": 1e6, "thousand": 1e3}


class ValueEditor:
    """Replaces one value; declines where the evidence's value cannot be written as the text writes."""

    async def edit(self, text: str, query: Query, check: Check, evidence: Evidence) -> Change | None:
        """The change at the query's place, else at the only place where the text has its answer."""
        place = _place(text, query, check.text_answer)
        answers = values(check.evidence_answer)
        if place is None:
            return None
        old = place.of(text)
        mine = _value_at(text, place)
        if mine is None:
            return None
        if mine.kind == "name":
            new: str | None = check.evidence_answer
        else:
            answer = next((value for value in answers if value.kind == mine.kind), None)
            new = write_like(mine, old, answer, check.evidence_answer) if answer else None
        if new is None or new == old:
            return None
        return _with_article(text, place, new)


def write_like(mine: Value, old: str, answer: Value, answer_text: str) -> str | None:
    """`answer` in the form of `old`; None where it has no such form."""
    said = answer_text[answer.start : answer.end]
    match mine.read, answer.read:
        case Number() as number, Number() as its:
            return _number_like(number, old, its)
        case Date() as date, Date() as its:
            return _date_like(date, old, its)
    return said.upper() if old.isupper() else said.capitalize() if old[0].isupper() else said.lower()


def _place(text: str, query: Query, answer: str) -> Span | None:
    if text[query.start : query.end] == answer:
        return Span(query.start, query.end)
    spans = [span for span in sentences(text) if span.start < query.end and query.start < span.end]
    found = [
        Span(span.start + match.start(), span.start + match.end())
        for span in spans
        for match in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", span.of(text))
    ]
    return found[0] if len(found) == 1 and answer else None


def _value_at(text: str, place: Span) -> Value | None:
    """The value that stands at `place`, read in its sentence: its unit and hedges are around it."""
    for span in sentences(text):
        if span.start <= place.start and place.end <= span.end:
            for value in values(span.of(text)):
                if (value.start + span.start, value.end + span.start) == place:
                    return value
    return None


def _number_like(mine: Number, old: str, its: Number) -> str | None:
    if mine.unit != its.unit:
        return None
    amount = from_base(its.amount, mine.form) if mine.form else its.amount
    if mine.form.lower() != its.form.lower() or mine.low < mine.amount < mine.high:
        amount = _rounded_like(amount, old)
    if mine.unit == "#":
        return _ordinal_like(int(amount), old)
    if not re.search(r"\d", old):
        return _in_words(amount, old)
    sign = re.match(r"\D*", old)
    magnitude = re.search(r"[a-z]+$", old)
    if magnitude and magnitude[0] in _MAGNITUDES:
        amount /= _MAGNITUDES[magnitude[0]]
        return f"{sign[0] if sign else ''}{_digits(amount, old)} {magnitude[0]}"
    return f"{sign[0] if sign else ''}{_digits(amount, old)}"


def _rounded_like(amount: float, old: str) -> float:
    """`amount` with as many decimals, or to as many trailing zeros, as the text writes."""
    match = re.search(r"\d[\d,]*(?:\.(\d+))?", old)
    if match is None:
        return float(round(amount))
    if match[1] is not None:
        return round(amount, len(match[1]))
    digits = match[0].replace(",", "")
    zeros = len(digits) - len(digits.rstrip("0"))
    return float(round(amount, -min(zeros, max(0, len(str(int(abs(amount)))) - 2))))


def _digits(amount: float, old: str) -> str:
    shown = f"{amount:.6f}".rstrip("0").rstrip(".")
    whole, dot, decimals = shown.partition(".")
    plain = "," not in old and len(re.sub(r"\D", "", old)) > 3
    return (whole if plain else f"{int(whole):,}") + dot + decimals


def _ordinal_like(number: int, old: str) -> str | None:
    if re.search(r"\d", old):
        return f"{number:,}{ordinal_suffix(number)}"
    return _cased(ORDINALS.get(number), old)


def _in_words(amount: float, old: str) -> str | None:
    """Words where the text has words; digits for what has no short word."""
    if amount != int(amount):
        return None
    return _cased(CARDINALS.get(int(amount)), old) or f"{int(amount):,}"


def _cased(word: str | None, old: str) -> str | None:
    return word.capitalize() if word and old[0].isupper() else word


def _date_like(mine: Date, old: str, its: Date) -> str | None:
    """The text's format with the evidence's day, month and year; what the evidence lacks stays."""
    if its.first_year is None or its.last_year is None:
        year = None
    elif mine.first_year != mine.last_year:
        return _span_like(old, its)
    elif its.first_year != its.last_year:
        return None
    else:
        year = its.first_year
    new = old
    if year is not None and mine.first_year is not None:
        new = re.sub(r"\d{4}", str(year), new)
    if its.month is not None and mine.month is not None:
        new = _month_like(new, its.month)
    if its.day is not None and mine.day is not None:
        new = _day_like(new, its.day)
    return new


def _span_like(old: str, its: Date) -> str | None:
    """A decade or century: the one that holds the evidence's year."""
    if its.first_year is None or not re.fullmatch(r"\d{3}0s", old):
        return None
    size = 100 if old.endswith("00s") else 10
    return f"{its.first_year // size * size}s"


def _month_like(old: str, month: int) -> str:
    written = re.search(r"[A-Z][a-z]{2,}", old)
    if written is None:
        return re.sub(r"-\d\d-", f"-{month:02}-", old)
    name = MONTHS[month - 1]
    abbreviated = len(written[0]) == 3 and written[0] != "May"
    return old.replace(written[0], name[:3] if abbreviated else name, 1)


def _day_like(old: str, day: int) -> str:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", old):
        return f"{old[:-2]}{day:02}"
    return re.sub(
        r"(?<!\d)\d{1,2}(?!\d)(st|nd|rd|th)?",
        lambda match: f"{day}{ordinal_suffix(day) if match[1] else ''}",
        old,
        count=1,
    )


def _with_article(text: str, place: Span, new: str) -> Change:
    """`a` before a vowel becomes `an`, and the other way round."""
    article = re.search(r"\b([Aa])(n?) $", text[max(0, place.start - 4) : place.start])
    if article is None or (new[:1].lower() in "aeiou") == bool(article[2]) or not new[:1].isalpha():
        return Change(start=place.start, end=place.end, new=new)
    start = place.start - len(article[0])
    return Change(start=start, end=place.end, new=f"{article[1]}{'' if article[2] else 'n'} {new}")
