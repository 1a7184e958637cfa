"""Finds and compares quantities in a text: digits, number words, magnitudes, money, percentages and units.

A quantity is compared as the range that its writing implies, in the base unit of its dimension. "About
1,600 metres", "1.6 km" and "a mile" are the same length, and 103 is "over a hundred".
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rarr.backends.rules.units import MEASURES, base_unit, to_base

_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINAL_SMALL = [
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth",
]  # fmt: skip


def _below_hundred(small: list[str], tens: list[str]) -> dict[str, float]:
    """Maps the words for 0 to 99 to numbers. `small` are the words below twenty, `tens` the whole tens."""
    numbers = {word: float(number) for number, word in enumerate(small)}
    numbers |= {word: 10.0 * number for number, word in enumerate(tens, start=2)}
    for number, ten in enumerate(_TENS, start=2):
        numbers |= {f"{ten}-{digit}": 10.0 * number + n for n, digit in enumerate(small[1:10], start=1)}
    return numbers


_WORD_VALUES = {**_below_hundred(_SMALL, _TENS), "dozen": 12.0}
_ORDINALS = {
    **_below_hundred(_ORDINAL_SMALL, [f"{ten[:-1]}ieth" for ten in _TENS]),
    "hundredth": 100.0,
    "two-hundredth": 200.0,
}
_MULTIPLES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}

VULGAR_FRACTIONS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_LARGEST_DENOMINATOR = 16

MAGNITUDES = {"thousand": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
CARDINALS = {int(number): word for word, number in _WORD_VALUES.items() if word != "dozen"}
ORDINALS = {int(number): word for word, number in _ORDINALS.items()}

BOUNDS = {
    "at least": "at least|no fewer than|no less than|not less than|a minimum of|minimum of|a minimum|minimum",
    "at most": "at most|no more than|not more than|up to|a maximum of|maximum of|a maximum|maximum",
    "above": "more than|larger than|longer than|higher than|greater than|bigger than|older than|later than"
    "|heavier than|wider than|taller than|deeper than|over|above|exceeding|exceeds|exceeded|exceed"
    "|upwards of",
    "below": "less than|fewer than|smaller than|shorter than|lower than|younger than|earlier than"
    "|lighter than|narrower than|under|below|almost|nearly|not quite|short of|shy of",
}
"""The words before a number that bound it, by the bound."""
# Words before a number, and the range that they give it, as factors of the number.
_HEDGES = {
    f"{BOUNDS['at least']}|{BOUNDS['above']}": (1.0, 1.5),
    f"{BOUNDS['at most']}|{BOUNDS['below']}": (0.7, 1.0),
    "about|around|approximately|roughly|some|circa|an estimated|close to|approx.": (0.99, 1.01),
}


def _any_of(forms: Iterable[str]) -> str:
    """Builds a pattern that matches one of `forms`, the longest first."""
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


_WORD = _any_of(_WORD_VALUES)
_NUMBER = re.compile(
    rf"""
    # not "turned over 5 million", which is no bound
    (?:\b(?<!\bturn\ )(?<!\bturns\ )(?<!\bturned\ )
    (?P<hedge>{_any_of("|".join(_HEDGES).split("|"))})\ (?:a\ total\ of\ )?|(?P<circa>~\ ?|\bc\.\ ?))?
    (?P<value>
        # 3/4, 1 1/2, 120/80, ½
        \ ?(?<![\w.,/:−-])(?:(?P<whole>\d{{1,3}})(?:[ -](?=\d{{1,2}}/)|\ ?(?=[{VULGAR_FRACTIONS}])))?
        (?:(?P<numerator>[1-9]\d{{0,2}})/(?P<denominator>[1-9]\d{{0,2}})(?![\w/]|[.,]\d)|(?P<vulgar>[{VULGAR_FRACTIONS}])(?!\w))
        # 13:20, and 7:30, 7.30 or 7 before "pm"
      | \ ?(?<![\w.,/:-])(?P<clock>(?:[01]?\d|2[0-3]):[0-5]\d(?![\w:]|\.\d)
          |(?:1[0-2]|0?[1-9])(?:[.:][0-5]\d)?(?=\ ?[ap]\.?m\b))
        # 1,600.5, 9 234 567, $5 million, 40-million, 3rd, -12;
        # neither the second half of a range nor a time of day
      | (?P<currency>[$€£¥]|\b(?:EUR|GBP|USD|JPY)(?=\ ?\d))?\ ?
        (?:(?P<sign>(?<![\w.,/:)%°-])[-−]|\bminus\ )|(?<![\w.,/:−-]))
        (?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:[\u00a0\u202f]\d{{3}})+
          |\d{{1,3}}(?:\ \d{{3}}){{2,}}|\d+(?:\.\d+)?)(?P<suffix>st|nd|rd|th)?\b(?!:\d)
        (?:[ -]?(?P<magnitude>hundred|thousand|million|billion|trillion|bn|mn)\b)?
        # twenty-third
      | (?<![\w-])(?P<ordinal>{_any_of(_ORDINALS)})\b
        # two hundred and five thousand
      | (?<![\w-])(?<!top\ )(?<!several\ )(?<!few\ )(?<!many\ )(?P<minus>minus\ )?(?:a\ (?=dozen))?
        (?P<words>(?:{_WORD})(?:(?:\ and\ |[ -])(?:{_WORD}|hundred|thousand|million|billion))*)\b
        # a hundred
      | (?<![\w-])(?<!half\ )(?:a\ )(?P<lone>hundred|thousand|million|billion|dozen)\b
        # a mile; not "of a mile", which is a part of one
      | (?<![\w-])(?<!of\ )(?P<article>an?)(?=\ (?:mile|kilometre|kilometer|ton|tonne|decade|century)\b)
      | (?<![\w-])(?P<multiple>once|twice|thrice)\b
    )
    (?P<percent>\ ?%|\ percent\b|\ per\ cent\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DIGIT, _LETTERS = re.compile(rf"[\d{VULGAR_FRACTIONS}]"), re.compile(r"[a-z]+")
_NUMBER_WORDS = {
    *_LETTERS.findall(" ".join([*_WORD_VALUES, *_ORDINALS, *_MULTIPLES, *MAGNITUDES]).lower()),
    *("hundred", "dozen", "mile", "kilometre", "kilometer", "ton", "tonne", "decade", "century"),
}
_UNIT = re.compile(rf"[ -]?(?P<unit>{MEASURES})(?![\w²³])(?: below zero\b)?")
_CURRENCY_WORD = re.compile(
    r" ?(?:US |American )?(?P<name>dollars?|euros?|pounds? sterling|pounds?|yen)\b(?! of\b)"
)
_HALF_DAY = re.compile(r" ?(?P<half>[ap])(?:m\b|\.m\.?)", re.IGNORECASE)
_RATE = re.compile(
    r"""
    (?:\sof\s\w+)?                                 # 40 litres of water a minute
    (?: \s?(?:/\s?|\bper\s+)(?P<unit>[a-z]+)
      | \s(?:an?|each|every)\s(?P<term>second|minute|hour|day|night|week|month|quarter|year|person|head)\b
      | \s(?P<adverb>hourly|daily|weekly|monthly|yearly|annually)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RATE_UNITS = {
    "s": "second", "sec": "second", "min": "minute", "h": "hour", "hr": "hour", "d": "day", "wk": "week",
    "mo": "month", "yr": "year", "annum": "year", "kg": "kilogram", "kilo": "kilogram", "l": "litre",
    "liter": "litre", "head": "person", "capita": "person", "hourly": "hour", "daily": "day",
    "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year",
}  # fmt: skip
_SIGNS = {"EUR": "€", "GBP": "£", "USD": "$", "JPY": "¥"}
_CURRENCIES = {"dollar": "$", "euro": "€", "pound": "£", "yen": "¥"}


CLOCK = "clock"
"""The unit of a time of day."""
ORDINAL = "#"
"""The unit of an ordinal."""


class Quantity(NamedTuple):
    """A number in a sentence, `start` to `end`, without the unit or percent sign that follows it.

    `amount`, `low` and `high` are in `unit`: a base unit such as metre, `%`, a currency sign, `ORDINAL` for
    "third", `times` for "twice", `CLOCK` for minutes after midnight, "/80" for the 120 of a blood pressure of
    120/80, or empty for a count. `form` is the unit of measure as the text writes it. `tail` is the end with
    the unit, percent sign, currency word, or "am" or "pm". A `hedged` number has "about" or the like before
    it. `per` is what the number is a rate of, such as the kilogram of "5 mg/kg" and the hour of "20 euros an
    hour"; empty for no rate, and None where the text ends behind the number, as a short answer does.
    """

    start: int
    end: int
    amount: float
    low: float
    high: float
    unit: str
    form: str
    tail: int
    hedged: bool
    per: str | None = ""

    @property
    def bounded_side(self) -> int:
        """1 for a number with "up to" or the like before it, -1 for one with "over" or the like, else 0."""
        if not self.hedged:
            return 0
        return (self.high <= self.amount) - (self.low >= self.amount)


def quantities(text: str) -> Iterator[Quantity]:
    """Yields the quantities of `text`, in order. The word "one" is not among them."""
    if not _DIGIT.search(text) and _NUMBER_WORDS.isdisjoint(_LETTERS.findall(text.lower())):
        return  # a fast path for most sentences, in a tenth of the time
    for match in _NUMBER.finditer(text):
        if match["value"].lower() != "one":  # a pronoun or an article far more often than a count
            yield _number(text, match)


def ordinal_suffix(number: int) -> str:
    """Returns the ending of the ordinal of `number`: st, nd, rd or th."""
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _number(text: str, match: re.Match[str]) -> Quantity:
    amount, step = _amount(match)
    start, end = match.span("value")
    unit, form, tail = _unit(text, match, end)
    low, high = amount - step, amount + step
    hedged = bool(match["hedge"] or match["circa"])
    if hedged:
        hedge = (match["hedge"] or "about").lower()
        least, most = next(range_ for words, range_ in _HEDGES.items() if hedge in words.split("|"))
        # A hedged number is rounded, so half of its last digit that is not zero is uncertain.
        rounding = 10 * step if step and not match["magnitude"] else step
        low = amount if least == 1.0 else min(low - rounding, amount * least)
        high = amount if most == 1.0 else max(high + rounding, amount * most)
    if match["sign"] or match["minus"] or text[end:tail].endswith("below zero"):
        amount, low, high = -amount, -amount - step, step - amount  # there "below" means another range
    if form:
        amount, low, high = (to_base(value, form) for value in (amount, low, high))
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Quantity(start, end, amount, low, high, unit, form, tail, hedged, _rate(text, tail))


def _rate(text: str, tail: int) -> str | None:
    """Reads what the number is a rate of, behind its unit; empty for no rate, None at the end of the text."""
    if tail == len(text):
        return None
    match = _RATE.match(text, tail)
    word = match[str(match.lastgroup)].lower() if match else ""
    return _RATE_UNITS.get(word) or _RATE_UNITS.get(word.removesuffix("s")) or word.removesuffix("s")


def _unit(text: str, match: re.Match[str], end: int) -> tuple[str, str, int]:
    """Reads the unit of comparison, the unit of measure as written, and the end of the unit in the text."""
    if match["currency"]:
        return _SIGNS.get(match["currency"].upper(), match["currency"]), "", end
    if match["percent"]:
        return "%", "", match.end("percent")
    if match["ordinal"] or match["suffix"]:
        return ORDINAL, "", end
    if match["multiple"]:
        return "times", "", end
    if match["clock"]:
        half = _HALF_DAY.match(text, end)
        return CLOCK, "", half.end() if half else end
    if match["numerator"] and not _is_fraction(match):
        return f"/{match['denominator']}", "", end
    if currency := _CURRENCY_WORD.match(text, end):
        return _CURRENCIES[currency["name"].split()[0].removesuffix("s")], "", currency.end()
    if measure := _UNIT.match(text, end):
        return base_unit(measure["unit"])[0], measure["unit"], measure.end()
    return "", "", end


def _amount(match: re.Match[str]) -> tuple[float, float]:
    """Reads the written amount, and how far it may be rounded: half of its last significant digit, or 0."""
    if match["digits"]:
        digits = re.sub(r"[,\s]", "", match["digits"])
        scale = _scale(match["magnitude"])
        decimals = len(digits.partition(".")[2])
        zeros = 0 if decimals else len(digits) - len(digits.rstrip("0"))
        if decimals or scale > 1:
            return float(digits) * scale, 0.5 * 10.0**-decimals * scale
        # Trailing zeros may be rounding; a twentieth keeps 3,000 apart from 3,100.
        return float(digits), 0.05 * 10.0**zeros if zeros >= 2 else 0.0
    if match["vulgar"]:
        return int(match["whole"] or 0) + unicodedata.numeric(match["vulgar"]), 0.0
    if match["numerator"]:
        part = int(match["numerator"]) / (int(match["denominator"]) if _is_fraction(match) else 1)
        return int(match["whole"] or 0) + part, 0.0
    if match["clock"]:
        return _minutes(match), 0.0
    if match["ordinal"]:
        return _ORDINALS[match["ordinal"].lower()], 0.0
    if match["multiple"]:
        return _MULTIPLES[match["multiple"].lower()], 0.0
    if match["article"]:
        return 1.0, 0.05
    amount = _from_words((match["words"] or match["lone"]).lower())
    return amount, 0.05 * amount if amount >= 100 else 0.0


def _minutes(match: re.Match[str]) -> float:
    """Returns the minutes of a time of day after midnight."""
    hours, _, minutes = match["clock"].replace(".", ":").partition(":")
    half = _HALF_DAY.match(match.string, match.end("clock"))
    hour = int(hours) % 12 + (12 if half["half"] in "pP" else 0) if half else int(hours)
    return 60.0 * hour + int(minutes or 0)


def _is_fraction(match: re.Match[str]) -> bool:
    """Is it a fraction such as 3/4, and no pair of numbers such as a blood pressure of 120/80?"""
    return int(match["numerator"]) < int(match["denominator"]) <= _LARGEST_DENOMINATOR


def _scale(magnitude: str | None) -> float:
    if magnitude is None:
        return 1.0
    return 100.0 if magnitude.lower() == "hundred" else MAGNITUDES[magnitude.lower()]


def _from_words(words: str) -> float:
    """Computes the number that words spell: "two hundred and five thousand" is 205,000."""
    total, group = 0.0, 0.0
    for word in re.split(r" and | ", words):
        for part in [word] if word in _WORD_VALUES else word.split("-"):
            if part == "dozen":
                group = (group or 1) * 12
            elif part in _WORD_VALUES:
                group += _WORD_VALUES[part]
            elif part == "hundred":
                group = (group or 1) * 100
            else:
                total, group = total + (group or 1) * MAGNITUDES[part], 0.0
    return total + group
