"""Finds numbers, months and identifiers in a text of any language, and tells if another text states them.

A number may be read in several ways: "12.500" is twelve thousand five hundred or twelve and a half. Two
numbers are the same if they have a reading in common. Units are not converted.
"""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from rarr.tools.text.span import Span


class Value(NamedTuple):
    """A number, month or identifier at `start` to `end` of a text, and its readings: numbers, or its name.

    `tail` is the end of the unit right behind a number, else `end`. `is_word`: it is written in letters.
    """

    start: int
    end: int
    tail: int
    readings: frozenset[Decimal | str]
    is_word: bool = False

    @property
    def span(self) -> Span:
        """Its place, without the unit."""
        return Span(self.start, self.end)


_SPACES = "\u00a0\u202f\u2009"
_IDENTIFIER = re.compile(r"(?<![\w.])(?=[\w./-]*\d)(?=[\w./-]*[^\W\d_])[^\W_][\w]*(?:[./-]\w+)*(?!\w)")
_NUMBER = re.compile(
    rf"(?<![\w.,])\d+(?:[.,'’{_SPACES} ]\d{{3}})+(?:[.,]\d+)?(?![\w]*\d)|\d+(?:[.,]\d+)?|[½¼¾⅓⅔]"
)
_DOTTED = re.compile(r"(?<![\w.])\d+(?:\.\d+){2,}(?![\w]|\.\d)")
_DATE = re.compile(r"(?<![\w.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{2,4})(?![\w]|\.\d)")
_SCALE = re.compile(
    r"[\s\u00a0-]?(?P<word>thousand|tausend|mille|k|million(?:en|s)?|mio\.?|mn|m|billion|bn|milliard(?:en|s|e)?"
    r"|mrd\.?|b|万|亿)(?!\w)",
    re.IGNORECASE,
)
_SCALES = {
    **dict.fromkeys(("thousand", "tausend", "mille", "k"), 3),
    **dict.fromkeys(("million", "millionen", "millions", "mio", "mn", "m"), 6),
    **dict.fromkeys(("billion", "bn", "b", "milliard", "milliarden", "milliards", "milliarde", "mrd"), 9),
    "万": 4,
    "亿": 8,
}
_LETTER_SCALES = frozenset(("k", "m", "b"))
_UNIT = re.compile(r"[ \u00a0\u202f]?(?:%|°[CF]?|[€$£]|[^\W\d_]{1,12})")

_MONTHS = (
    ("january", "jan", "januar", "jänner", "janvier"),
    ("february", "feb", "februar", "février"),
    ("march", "mar", "märz", "mars"),
    ("april", "apr", "avril"),
    ("may", "mai"),
    ("june", "jun", "juni", "juin"),
    ("july", "jul", "juli", "juillet"),
    ("august", "aug", "août"),
    ("september", "sep", "sept", "septembre"),
    ("october", "oct", "oktober", "okt", "octobre"),
    ("november", "nov", "novembre"),
    ("december", "dec", "dezember", "dez", "décembre"),
)
_MONTH_NUMBERS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}
_UNCLEAR_MONTHS = frozenset(("may", "march", "mars", "mar"))  # words too: a month only in capitals

_SMALL = (
    ("zero", "null", "zéro"), ("one", "eins"), ("two", "zwei", "deux", "twice"), ("three", "drei", "trois"),
    ("four", "vier", "quatre"), ("five", "fünf", "cinq"), ("six", "sechs"), ("seven", "sieben", "sept"),
    ("eight", "acht", "huit"), ("nine", "neun", "neuf"), ("ten", "zehn", "dix"), ("eleven", "elf", "onze"),
    ("twelve", "zwölf", "douze", "dozen", "dutzend"), ("thirteen", "dreizehn", "treize"),
    ("fourteen", "vierzehn", "quatorze"), ("fifteen", "fünfzehn", "quinze"), ("sixteen", "sechzehn", "seize"),
    ("seventeen", "siebzehn"), ("eighteen", "achtzehn"), ("nineteen", "neunzehn"),
)  # fmt: skip
_TENS = (
    ("twenty", "zwanzig", "vingt"), ("thirty", "dreißig", "trente"), ("forty", "vierzig", "quarante"),
    ("fifty", "fünfzig", "cinquante"), ("sixty", "sechzig", "soixante"), ("seventy", "siebzig"),
    ("eighty", "achtzig"), ("ninety", "neunzig"),
)  # fmt: skip
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
_WORDS: dict[str, int] = {
    **{word: number for number, words in enumerate(_SMALL) for word in words},
    **{word: 10 * number for number, words in enumerate(_TENS, start=2) for word in words},
    **{word: number for number, word in enumerate(_ORDINALS, start=1)},
    "hundred": 100, "hundert": 100,
}  # fmt: skip

_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_CHINESE = str.maketrans("零一二三四五六七八九", "0123456789")
_DIGIT = "[一二三四五六七八九]"
_CHINESE_NUMBER = re.compile(
    r"[零一二两三四五六七八九十百]{1,5}(?=[个年月日人天次万亿名座家所米公元小分岁层条])"
)


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """Finds the numbers, months and identifiers of `text`, in order, without overlaps."""
    found: list[Value] = []
    taken = bytearray(len(text))
    for value in (*_dotted(text), *_identifiers(text), *_numbers(text), *_words(text), *_chinese(text)):
        if not any(taken[value.start : value.end]):
            taken[value.start : value.end] = b"1" * (value.end - value.start)
            found.append(value)
    return tuple(sorted(found, key=lambda value: value.start))


def same_value(first: Value, second: Value) -> bool:
    """Do the two have a reading in common?"""
    return not first.readings.isdisjoint(second.readings)


def states(text: str, value: Value) -> bool:
    """Does `text` have a value that is the same?"""
    return any(same_value(value, other) for other in values(text))


def _identifiers(text: str) -> Iterator[Value]:
    for match in _IDENTIFIER.finditer(text):
        word = match[0]
        plain = word.strip(".-/").casefold()
        number = re.match(r"\d+(?:[.,]\d+)?", plain)
        rest = plain[number.end() :] if number else ""
        # "12km", "3rd", "19th-century" and "10-year" are numbers with words behind them.
        if number and re.fullmatch(r"-?[^\W\d_]+(?:-[^\W\d_]+)*\.?", rest):
            continue
        if not any(character.isdigit() for character in plain) or not plain.isascii():
            continue
        yield Value(match.start(), match.end(), match.end(), frozenset((plain,)))


def _dotted(text: str) -> Iterator[Value]:
    """Yields the parts of dates such as 29.05.2026; other numbers with several dots are identifiers."""
    for match in _DATE.finditer(text):
        for group in (1, 2, 3):
            place = match.span(group)
            yield Value(*place, place[1], frozenset((Decimal(match[group]),)))
    for match in _DOTTED.finditer(text):
        if not all(len(piece) == 3 for piece in match[0].split(".")[1:]):
            yield Value(match.start(), match.end(), match.end(), frozenset((match[0],)))


def _numbers(text: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        readings = set(_readings(match[0]))
        end = match.end()
        if scale := _SCALE.match(text, end):
            word = scale["word"].casefold().rstrip(".")
            scaled = {reading * 10 ** _SCALES[word] for reading in readings}
            # "5 m" may be five metres.
            readings = readings | scaled if word in _LETTER_SCALES else scaled
            end = scale.end() if word not in _LETTER_SCALES else end
        unit = _UNIT.match(text, end)
        yield Value(match.start(), end, unit.end() if unit else end, frozenset(readings))


def _readings(written: str) -> Iterator[Decimal]:
    """Yields what a number in digits may mean: with marks of thousands, and with a decimal mark."""
    if written in "½¼¾⅓⅔":
        yield round(Decimal(unicodedata.numeric(written)), 2)
        return
    plain = unicodedata.normalize("NFKC", written)
    marks = [character for character in plain if not character.isdigit()]
    digits = [piece for piece in re.split(r"\D", plain) if piece]
    if not marks:
        yield Decimal(plain)
        return
    grouped = all(len(piece) == 3 for piece in digits[1:]) and len(digits[0]) <= 3
    if grouped and len(set(marks)) == 1:
        yield Decimal("".join(digits))
    if marks[-1] in ".," and marks.count(marks[-1]) == 1:
        yield Decimal("".join(digits[:-1]) + "." + digits[-1])


def _words(text: str) -> Iterator[Value]:
    for match in _LETTERS.finditer(text):
        word = match[0].casefold()
        if word in _MONTH_NUMBERS and not (word in _UNCLEAR_MONTHS and match[0].islower()):
            number = _MONTH_NUMBERS[word]
            readings: set[Decimal | str] = {f"month {number}", Decimal(number)}
            yield Value(match.start(), match.end(), match.end(), frozenset(readings), is_word=True)
            continue
        parts = word.split("-")
        if all(part in _WORDS for part in parts):
            amount, end = Decimal(sum(_WORDS[part] for part in parts)), match.end()
            scale = _SCALE.match(text, end)
            if scale and scale["word"].casefold() not in _LETTER_SCALES:
                amount *= 10 ** _SCALES[scale["word"].casefold().rstrip(".")]
                end = scale.end()
            unit = _UNIT.match(text, end)
            tail = unit.end() if unit else end
            yield Value(match.start(), end, tail, frozenset((amount,)), is_word=True)


def _chinese(text: str) -> Iterator[Value]:
    for match in _CHINESE_NUMBER.finditer(text):
        amount = _chinese_amount(match[0].replace("两", "二"))
        if amount is not None:
            yield Value(match.start(), match.end(), match.end(), frozenset((Decimal(amount),)), is_word=True)


def _chinese_amount(written: str) -> int | None:
    """Computes a number below 1,000 that is written in Chinese characters; None for another order."""
    if not re.search(r"[十百]", written):
        return int(written.translate(_CHINESE))
    match = re.fullmatch(rf"(?:({_DIGIT})百零?)?(?:({_DIGIT}?)(十))?({_DIGIT})?", written)
    if match is None:
        return None
    hundreds, tens, ten, ones = match.groups()
    value = [int(group.translate(_CHINESE)) if group else 0 for group in (hundreds, tens, ones)]
    return 100 * value[0] + 10 * (value[1] or bool(ten)) + value[2]
