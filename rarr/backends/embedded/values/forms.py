"""Defines the class of a value in a text, and the regular expressions for the written forms of values."""

import re
import unicodedata
from fractions import Fraction
from typing import Literal, NamedTuple

from rarr.backends.embedded.values.tables import MONTHS, RATES, SIGNS, UNITS
from rarr.tools.text.blocks_and_sentences import Span

Kind = Literal["number", "ordinal", "date", "time", "identifier"]
Range = tuple[int, int]


class Amount(NamedTuple):
    """A number without its unit. `step`: the largest error by rounding (50,000 for "1.2 million")."""

    amount: Fraction
    step: Fraction = Fraction(1, 2)

    def times(self, factor: Fraction | int) -> "Amount":
        if factor == 1:
            return self
        return Amount(self.amount * factor, self.step * max(factor, -factor))


class Date(NamedTuple):
    """A date. Years, months and days: each a range (first, last), or None if the text does not state it."""

    years: Range | None = None
    months: Range | None = None
    days: Range | None = None


class Value(NamedTuple):
    """A value, such as a number or a date, at `start` to `end` of a text.

    `readings`: the possible meanings, the likeliest first: "1.234" is 1234, or a little more than 1. The
    reading of an identifier is its name. The reading of a time is the number of minutes since midnight.
    """

    start: int
    end: int
    text: str
    kind: Kind
    readings: tuple[Amount | Date | str, ...]
    number: Span  # the place of the number alone
    bound_start: int  # the start of the words that tell the bound, such as "at least"; `start` without them
    unit: str = ""  # the base unit or currency; for an identifier, the label, such as "cve"
    size: Fraction = Fraction(1)  # the size of the written unit in base units: 1000 for "km"
    bound: str = ""  # "min", "above", "max", "below" or "about"; "low" and "high": ends of a range
    noun: str = ""  # the word behind a number without a known unit, such as "patients" or "mmol/l"

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def is_word(self) -> bool:
        """Tells whether the value is written in words, without a digit."""
        return re.search(r"\d", self.text) is None

    @property
    def amounts(self) -> list[Amount]:
        """Returns the possible meanings of a number, an ordinal or a time; [] for other kinds of values."""
        return [reading for reading in self.readings if isinstance(reading, Amount)]

    @property
    def dates(self) -> list[Date]:
        return [reading for reading in self.readings if isinstance(reading, Date)]


ALIKE_CHARACTERS = str.maketrans(
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
    "‐‑‒–—―−’‘ʼ０１２３４５６７８９％．，",
    " " * 15 + "-" * 7 + "'''" + "0123456789%.,",
)
MARKUP = re.compile(
    r"""
    (?=[]<¹²³⁰⁴-⁹[【(h*`~_\\])(?:  # a quick test of the first character
      <sup>\s*\[?[\d,;\ -]{1,12}\]?\s*</sup> | </?[a-zA-Z][^<>\n]{0,200}> | [¹²³⁰⁴-⁹]+
    | \[(?:\^|citation:|Source\ )?[\d,;\s–-]{1,20}\] | \[\^[\w-]{1,30}\] | 【[^】\n]{0,40}】
    | \((?:Source|Quelle)\ \d+\) | \]\([^)\s]{0,500}\) | https?://(?!(?:dx\.)?doi\.org/)[^\s<>)]{1,500}
    | \*+ | `+ | ~~ | (?<![^\W_])_+ | _+(?![^\W_]) | \\(?=[^\w\s])
    )""",
    re.VERBOSE,
)
# A power of a unit, or of a number that is no year. Other raised numbers are citation marks.
POWER = re.compile(r"(?:\d\s{0,3}(?:[kcm]?m|ft|mi)[²³]|(?<!\d)\d{1,3}⁻?[⁻⁰¹²³⁴-⁹]{1,3})\Z")
TOKEN = re.compile(
    r"[^\W\d_\u3400-\u9fff]+(?:['-][^\W\d_\u3400-\u9fff]+)*|\d|[§#№½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞零一二两三四五六七八九十百]"
)

# Numbers, and the words and signs around them
DIGITS = re.compile(
    r"(?=\d)(?P<whole>\d{1,3}(?P<mark>[ ',.])\d{3}(?:(?P=mark)\d{3})*|\d+)"
    r"(?:(?P<point>[.,])(?P<decimals>\d+))?(?!\d|[.,']\d)"
)
LONG_NUMBER = re.compile(r"\d[\d',.]{40,}|\d{1,3}(?: \d{3}){13,}")  # too long for a value
MINUS_BEFORE = re.compile(r"(?:\A|[\s(])(?:[−-]|(?<!\d\s)[‒–—―])\Z")
POINT_BEFORE = re.compile(r"(?:\A|[\s(−‒–—―-])[.,]\Z")  # in ".5", but not in "U.5" or "1.5"
IN_DIGITS = re.compile(r"\d+[^\d\s]{0,4}")
CHUNK = re.compile(r"(?<!\S)[^\s\d@]*+[\d@]\S*")  # may hold an identifier
DIGIT_RUN = re.compile(r"\d+(?:[.,]\d+)*")
FRACTION = re.compile(r"(?:(\d+)[ -])?(\d{1,3})/([1-9]\d{0,2})(?![\d/]|[.,]\d)")
VULGAR = re.compile(r" ?([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
AND_HALF = re.compile(r"\s(?:and|und|et)\s(?:an?\s|eine?\s|un\s)?(half|quarter|halb|demie?)\b")
TIMES_TEN = re.compile(r"\s?[x×]\s?10(?:\^(-?\d{1,2})|(⁻?[⁰¹²³⁴-⁹]{1,2}))(?!\d)")
TO_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
FACTOR = re.compile(r"(\s{1,4}|-)?([万亿]|[^\W\d_]+)((?<=io|rd|sd|mn|bn)\.)?", re.IGNORECASE)
UNIT = re.compile(
    r"(?:\s{0,4}|-)([^\W\d_]+(?:/[^\W\d_]+)?[²³]?|[%‰$€£¥₹₽]|°\s?[CF]?)(?:[\s-]{1,3}([^\W\d_]+))?"
)
RATE = re.compile(
    r"\s?/\s?([^\W\d_]+)|\s(?:per|pro|par)\s([^\W\d_]+)"
    r"|\s(?:an?|each|every)\s(second|minute|hour|day|night|week|month|year|person|head)\b"
    rf"|\s({'|'.join(RATES)})\b"
)
MONEY_BEFORE = re.compile(rf"(?:(?<!\w)[A-Za-z]{{3}}|[A-Za-z]{{0,2}}[{SIGNS}])\s?\Z")
WORD_BEFORE = re.compile(r"([^\W\d_]+'?|[<>≤≥~≈])(?:(?<=ca)\.|(?<=approx)\.)?(?:\s+|(?<=['<>≤≥~≈]))\Z")
WORDS_BEHIND = re.compile(r"\s([^\W\d_]+ [^\W\d_]+)")
RANGE = re.compile(r"\s?-\s?|\s(to|bis|à|through|and|or|und|oder|et|ou)\s")
OF_A = re.compile(r"\s(?:of\s)?(?:an?|eine?r?|une?)(?=\s([^\W\d_]+))")
CHINESE = re.compile(r"[零一二两三四五六七八九十百]{1,5}(?=[个年月日人天次万亿名座家所米公元小分岁层条])")

# Identifiers
NAMES = (
    ("power", re.compile(r"\d{1,3}⁻?[⁰¹²³⁴-⁹]{1,3}")),
    ("email", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("doi", re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/\S+)", re.IGNORECASE)),
    ("ip", re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?:/\d\d?|:\d+)?|(?:[\da-f]{0,4}:){3,7}[\da-f]{0,4}", re.I)),
    ("isbn", re.compile(r"(?:isbn[-:]?)?(97[89](?:-?\d){10}|\d(?:-\d+){2}-[\dX])", re.IGNORECASE)),
    ("version", re.compile(r"v\.?(\d+(?:\.\d+)*(?:-?[a-z]+\d*)?)|\d+(?:\.\d+){2,}(?:-?[a-z]+\.?\d*)?", re.I)),
)
CODE = re.compile(r"[^\W_]+(?:[-./_:][^\W_]+)*(?:\(\w{1,4}\))*", re.ASCII)
PREFIX = re.compile(r"([A-Za-z]+)[-./_:]?(?=\d)")
# No identifiers: "12km", "19th-century", "5mg/kg", "2pm", "50%", "x10", and most words without a letter.
NO_CODE = re.compile(r"[\d.,'/:-]+-?(?:[^\W\d_]+\.?(?:[-/][^\W\d_]+)*\.?[²³23]?)?|[x×]\d+|\d{4}-\d\d-\d\dT.*")
# Identifiers without a letter, such as "555-01-77" and "2024-0017".
DIGIT_CODE = re.compile(r"\d+(?:-\d+){2,}|\d+[-/](?:0\d\d+|\d{5,})|0\d{3,}")
NUMBERED = re.compile(
    r"[.:]?\s*(?:(?:no|nr|number|n°|№)\b\.?:?\s*|#)?"
    r"((?-i:[A-Z]{1,5}[-/. ]?)?\d[^\W_]*(?:[-./:_][^\W_]+)*(?:\(\w{1,4}\))*)",
    re.IGNORECASE,
)
NAMED_BEFORE = re.compile(r"[^\W\d_]['\w,)]* ([A-Z][\w+-]{2,}) \Z")

# Dates and times
YEAR = r"(?P<year>\d{4})(?!\d|[.,]\d)"
DAY = r"\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?"
DATES = [
    re.compile(pattern)
    for pattern in (
        r"(?P<year>\d{4})[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)(?![\d./-]*\d)(?:T[\d:.]+Z?)?",
        r"(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])(?![\d-])",
        r"(?P<day>\d\d?)(?P<mark>[./-])\s?(?P<month>\d\d?)(?P=mark)\s?(?P<year>\d{4}|\d\d)(?!\d|[-/.,]\d)",
        rf"(?:(?P<first>{DAY}\s?(?:-|to|and|bis)\s?)?(?P<day>{DAY}[\s-]{{0,3}}(?P<of>of\s|de\s)?"
        rf"(?P<month>[^\W\d_]{{3,}})(?:\.?[\s,-]{{1,3}}(?:of\s|del?\s)?{YEAR})?",
        r"(?P<year>\d{4})\s?年(?:\s?(?P<month>\d\d?)\s?月(?:\s?(?P<day>\d\d?)\s?日)?)?",
        r"(?P<day>\d\d?)\.\s?(?P<month>\d\d?)(?P<german>\.)(?!\d)",
        rf"(?P<month>[^\W\d_]{{3,}})\.?[\s,-]{{1,3}}(?:of\s|del?\s)?{YEAR}",
        rf"(?P<month>[^\W\d_]{{3,}})\.?\s{{1,2}}(?:the\s)?(?:(?P<first>\d\d?)-)?(?P<day>\d\d?)(?:st|nd|rd|th)?"
        rf"(?![\d:%]|[.,]\d|\s?[ap]m\b)(?:,?\s(?:of\s)?{YEAR})?",
    )
]
DIGIT_DATES, WORD_DATES = DATES[:6], DATES[6:]  # begin with a digit, and with a word
YEARS = re.compile(r"(\d{3}0)'?(?:s\b|er\b)|(\d\d)(\d\d)-(\d\d)(?![\d-])")
PLAIN_YEAR = re.compile(rf"(?:{YEAR}|\d{{1,4}}(?=\s[Bv]))(?P<before>\s(?:BCE?\b|v\. Chr\.))?")
CENTURY = re.compile(
    r"(\d\d?)?(?:st|nd|rd|th|\.|e|ème)?[\s-](?:century|centuries|jahrhunderts?|siècle)\b", re.I
)
ORDINAL = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)(?:st|nd|rd|th|er|re|ère|e|ème|º|ª)\b")
CLOCK = re.compile(
    r"([01]?\d|2[0-4])(?:[:.h]([0-5]\d)(?::[0-5]\d)?)?\s?(?:([ap])(?:m\b|\.\s?m\b\.?)|(uhr|o'clock)\b)"
    r"|([01]?\d|2[0-4])[:h]([0-5]\d)(?::[0-5]\d)?(?![\w:])",
    re.IGNORECASE,
)
COUNTED = re.compile(
    r"-[a-z]|\s{1,4}(?!was\b|is\b|as\b|his\b|its\b|this\b|has\b)(?:[a-z]{2,}s|people|men|women)\b"
)
TIME_WORD = re.compile(
    r"(?:\b(?:in|since|until|till|from|by|of|during|between|before|after|and|to|late|early|mid|last|year|spring"
    r"|summer|autumn|fall|winter|im|jahr|seit|ab|von|bis|ende|anfang|mitte|und|en|depuis|avant|après|de|à)\s+"
    r"|[(/-]\s*)\Z",
    re.IGNORECASE,
)


def identifier_parts(written: str) -> tuple[str, str]:
    """Returns the label and name of an identifier, such as ("doi", "10.1000/1"); ("", "") for other text."""
    if any(pattern.fullmatch(written) for pattern in (*DATES[:3], DIGITS)):
        return "", ""
    for label, pattern in NAMES:
        if match := pattern.fullmatch(written):
            name = (match[match.lastindex or 0]).casefold()
            return label, name.replace("-", "") if label == "isbn" else name
    is_number = NO_CODE.fullmatch(written) and not DIGIT_CODE.fullmatch(written)
    if is_number or not CODE.fullmatch(written) or written in UNITS:
        return "", ""
    prefix = PREFIX.match(written)
    if prefix is None:
        return ("number" if written[-1].isdigit() else ""), written.casefold()
    word = prefix[1].lower()  # "mid-1990s" and "EUR5" are no identifiers
    is_word = word in UNITS or word in MONTHS or (prefix[1].islower() and prefix[0][-1] == "-")
    return ("", "") if is_word else (word, written.casefold())


def amounts_in_digits(match: re.Match[str]) -> list[Amount]:
    """Returns the possible meanings of a number in digits. "1.234" has two: 1234, and a little over 1."""
    whole, mark, decimals = match["whole"], match["mark"], match["decimals"] or ""
    if mark and mark == match["point"]:
        return []
    amount = Amount(Fraction(int(re.sub(r"\D", "", whole + decimals))))
    if mark in (".", ",") and len(whole) <= 7 and not decimals:
        decimal = amount.times(Fraction(1, 1000))
        return [decimal] if whole[0] == "0" else [amount, decimal]
    return [amount.times(Fraction(1, 10 ** len(decimals))) if decimals else amount]


def exact_amount(amount: float | Fraction) -> Amount:
    """Returns `amount`, such as ⅓, as an `Amount` without a rounding error."""
    return Amount(Fraction(amount).limit_denominator(64), Fraction(0))


def year_range(year: str | None) -> Range | None:
    return (int(year), int(year)) if year else None


def chinese_amount(written: str) -> int:
    """Reads a number in Chinese characters up to 百. Both 三二 (digits) and 三十二 (tens) mean 32."""
    total = digit = 0
    for number in (int(unicodedata.numeric(character)) for character in written.replace("两", "二")):
        is_step = number >= 10
        total, digit = (total + number * (digit or 1), 0) if is_step else (total, 10 * digit + number)
    return total + digit
