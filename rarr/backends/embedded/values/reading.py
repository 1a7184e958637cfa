"""Finds the values of a text: numbers with their units, dates, times, ordinals and identifiers."""

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, lru_cache

from text_to_num import alpha2digit

from rarr.backends.embedded.values import forms, tables
from rarr.backends.embedded.values.forms import Amount, Date, Kind, Value, exact_amount, year_range
from rarr.backends.embedded.values.tables import FACTORS, MONTHS, unit_of
from rarr.backends.embedded.words import FUNCTION_WORDS, LIMITING, OPENERS, PRONOUNS, language_of
from rarr.tools.text.blocks_and_sentences import Span

_NO_NOUNS = OPENERS.union(LIMITING, PRONOUNS, ("when", "quand"), *FUNCTION_WORDS.values())


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """Returns the values in `text` in order. The values do not overlap."""
    reader, found = _ValueReader(text), list[Value]()
    for number, token in enumerate(reader.tokens):
        if token.start() < reader.at:
            continue
        is_digit = token[0].isdecimal()
        if is_digit and (long := forms.LONG_NUMBER.match(reader.plain, token.start())):
            reader.at = long.end()
        elif value := reader.value_at(number):
            reader.at = value.end
            found[-1:] = reader.join_values(found[-1], value) if found else [value]
        elif is_digit:
            reader.at = forms.DIGIT_RUN.match(reader.plain, token.start()).end()  # type: ignore[union-attr]
    return tuple(found)


def _blank_markup(match: re.Match[str]) -> str:
    power = match[0].removeprefix("<sup>").removesuffix("</sup>").translate(forms.TO_SUPERSCRIPT)
    if forms.POWER.search(match.string[max(0, match.start() - 9) : match.start()] + power):
        return power + "\0" * (len(match[0]) - len(power))
    return " " * len(match[0])


def without_markup(text: str) -> str:
    """Returns the text of a value without Markdown marks, footnote numbers and line ends."""
    return " ".join(forms.MARKUP.sub(_blank_markup, text).replace("\0", "").split())


@lru_cache(maxsize=8192)
def _in_digits(words: str, language: str) -> str:
    """Writes number words in digits ("12", or "3rd"). Returns "" if the words are not exactly one number."""
    written = str(alpha2digit(words, language, threshold=0))
    return written if forms.IN_DIGITS.fullmatch(written) else ""


class _ValueReader:
    """Reads the values of a text from left to right. `at`: the place up to which the text has been read."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.plain = forms.MARKUP.sub(_blank_markup, text.translate(forms.ALIKE_CHARACTERS))
        self.tokens = list(forms.TOKEN.finditer(self.plain))
        self.words = [token[0].lower() for token in self.tokens]
        self.language = language_of(self.words)
        self.codes = {start: (end, label, name) for start, end, label, name in self._find_codes()}

    @cached_property
    def decimal_mark(self) -> str:
        """Returns the mark of the first number with one meaning, or else the decimal mark of the language."""
        numbers = forms.DIGITS.finditer(self.plain)
        points = (it["point"] for it in numbers if len(forms.amounts_in_digits(it)) == 1)
        return next((point for point in points if point), "." if self.language == "en" else ",")

    def value_at(self, number: int) -> Value | None:
        """Returns the value that begins at the token with the index `number`; None if there is none."""
        start, word = self.tokens[number].start(), self.words[number]
        if start in self.codes:
            return self._code_at(start)
        if word.isdecimal():
            readers = (self._date_at, self._years_at, self._time_at, self._number_at)
            return next((value for read in readers if (value := read(start))), None)
        if not word.isascii():
            if match := forms.VULGAR.match(self.plain, start):
                return self._quantity(start, match.end(), exact_amount(unicodedata.numeric(match[1])))
            if match := forms.CHINESE.match(self.plain, start):
                amount = Amount(Fraction(forms.chinese_amount(match[0])))
                return self._quantity(start, match.end(), amount) if amount.amount else None
        if (first := word.partition("-")[0]) in tables.BEGINNINGS or _in_digits(word, self.language):
            date = self._date_at(start) if first in MONTHS else None
            return self._labelled_number(number) or date or self._number_words_at(number)
        return None

    def _make(self, start: int, end: int, kind: Kind, *read: Amount | Date | str, unit: str = "") -> Value:
        bound, lead = ("", start) if kind == "identifier" else self._bound_before(start)
        while self.plain[end : end + 1] == "\0":
            end += 1
        number, text = Span(start, end), self.text[start:end]
        return Value(start, end, text, kind, read, number, lead, unit, bound=bound)

    def _bound_before(self, start: int) -> tuple[str, int]:
        words, bound, lead, at = "", "", start, start
        while at > start - 30 and (match := forms.WORD_BEFORE.search(self.plain, max(self.at, at - 15), at)):
            words, at = f"{match[1].lower()} {words}".strip(), match.start()
            if words not in tables.BOUND_ENDS:
                break
            if words in tables.BOUNDS:
                bound, lead = tables.BOUNDS[words], at
        return bound, lead

    def _find_codes(self) -> Iterator[tuple[int, int, str, str]]:
        for chunk in forms.CHUNK.finditer(self.plain):
            for part in re.finditer(r"[^\0=|;]+", chunk[0]):
                written = part[0].lstrip("([{\"'“‘«<#$€£")
                start = chunk.start() + part.end() - len(written)
                written = written.rstrip(".,;:!?\"'”’»]}>…")
                while written.endswith(")") and written.count("(") < written.count(")"):
                    written = written[:-1].rstrip(".,;:!?\"'”’»")
                label, name = forms.identifier_parts(written)
                if name:
                    yield start, start + len(written), label, name

    def _code_at(self, start: int) -> Value:
        end, label, name = self.codes[start]
        before = forms.WORD_BEFORE.search(self.plain, max(0, start - 20), start)
        label = label or (tables.LABELS.get(before[1].lower(), "") if before else "")
        return self._make(start, end, "identifier", name, unit=label)

    def _labelled_number(self, number: int) -> Value | None:
        word, match = self.words[number], forms.NUMBERED.match(self.plain, self.tokens[number].end())
        if word not in tables.LABELS or match is None or (word in ("no", "v") and match[0][0] != "."):
            return None
        unit = forms.UNIT.match(self.plain, match.end())
        if match[1].isdigit() and unit and (unit_of(unit[1]) or unit[1].lower() in MONTHS):
            return None
        name = re.sub(r"\s", "", match[1]).casefold()
        return self._make(*match.span(1), "identifier", name, unit=tables.LABELS[word])

    def _date_at(self, start: int) -> Value | None:
        is_word = not self.plain[start].isdigit()
        for pattern in forms.WORD_DATES if is_word else forms.DIGIT_DATES:
            if (match := pattern.match(self.plain, start)) and (readings := self._date_readings(match)):
                at = match.groupdict().get("year") or match.end("month") < match.end("day")
                return self._make(start, match.end() if at else match.end("month"), "date", *readings)
        written = re.split(r"[\W\d_]", self.plain[start : start + 20])[0] if is_word else ""
        word, language = written.lower(), self.language
        is_other = (word == "sept" and language == "fr") or (written.islower() and language == "en")
        if is_other or word not in tables.BARE_MONTHS:
            return None
        if (len(word) < 4 or word in tables.UNCLEAR_MONTHS) and not self._follows_time_word(start):
            return None
        return self._make(start, start + len(word), "date", Date(None, (MONTHS[word], MONTHS[word])))

    def _date_readings(self, match: re.Match[str]) -> list[Date]:
        """Returns the possible dates of a match. "3/4/2020" has two: the day may come first or second."""
        part = match.groupdict()
        name, day, year = part["month"] or "", int(part.get("day") or 0), part.get("year")
        if name and not name.isdecimal():
            is_clear = part.get("of") or year or not name.islower() or self.language != "en"
            is_clear = is_clear or name not in tables.UNCLEAR_MONTHS
            orders = [(day, MONTHS.get(name.lower(), 0))] if is_clear else []
        elif part.get("mark") == "/" or (part.get("mark") and int(name) > 12):
            orders = [(day, int(name)), (int(name), day)]
        else:
            orders = [(day, int(name or 0))] if "german" not in part or self.language == "de" else []
        years = year_range(year) if year and len(year) == 4 else None
        first = int(part.get("first") or 0)
        return list(dict.fromkeys(
            Date(years, (month, month) if month else None, (first or day, day) if day else None)
            for day, month in orders
            if first <= day <= 31 and (day or not part.get("day")) and (1 <= month <= 12 or not name)
        ))  # fmt: skip

    def _follows_time_word(self, start: int) -> bool:
        return forms.TIME_WORD.search(self.plain, max(0, start - 12), start) is not None

    def _years_at(self, start: int) -> Value | None:
        if match := forms.YEARS.match(self.plain, start):
            first = int(match[1] or match[2] + match[3])
            last = first + (99 if first % 100 == 0 else 9) if match[1] else int(match[2] + match[4])
            return self._make(start, match.end(), "date", Date((first, last))) if 999 < first < last else None
        if (match := forms.CENTURY.match(self.plain, start)) and match[1]:
            last = 100 * int(match[1])
            return self._make(start, match.end(), "date", Date((last - 99, last)))
        match = forms.PLAIN_YEAR.match(self.plain, start)
        if match and match["before"]:
            return self._make(start, match.end(), "date", Date(year_range(f"-{match[0].split()[0]}")))
        if match is None or not 1000 <= int(match[0]) <= 2100 or self._currency_before(start):
            return None
        unit, factor = forms.UNIT.match(self.plain, match.end()), forms.FACTOR.match(self.plain, match.end())
        is_amount = (unit and unit_of(unit[1])) or (factor and factor[2].lower() in FACTORS)
        if is_amount or "a" <= self.plain[match.end() : match.end() + 1].lower() <= "z":
            return None
        is_count = forms.COUNTED.match(self.plain, match.end()) and not self._follows_time_word(start)
        return None if is_count else self._make(start, match.end(), "date", Date(year_range(match[0])))

    def _time_at(self, start: int) -> Value | None:
        match = forms.CLOCK.match(self.plain, start)
        if match is None or self.plain[start - 1 : start] == ":":
            return None
        hour, minute = int(match[1] or match[5]), int(match[2] or match[6] or 0)
        half = (match[3] or "").lower()
        is_clear = half or hour > 12 or match[0][0] == "0" or (match[4] or "").lower() == "uhr"
        hour = hour % 12 + 12 * (half == "p") if half else hour
        reading = Amount(Fraction(60 * hour + minute))
        return self._make(start, match.end(), "time", reading, unit="clock" if is_clear else "clock?")

    def _number_at(self, start: int) -> Value | None:
        if match := forms.ORDINAL.match(self.plain, start):
            return self._make(start, match.end(), "ordinal", Amount(Fraction(match[1].replace(",", ""))))
        if match := forms.FRACTION.match(self.plain, start):
            whole, above, below = (int(group or 0) for group in match.groups())
            if 0 < above < below <= 16:
                return self._quantity(start, match.end(), exact_amount(Fraction(above, below) + whole))
            return self._make(start, match.end(), "identifier", match[0], unit="ratio")
        match = forms.DIGITS.match(self.plain, start)
        readings = forms.amounts_in_digits(match) if match else []
        if match is None or not readings:
            return None
        likely = -1 if len(readings) > 1 and match["mark"] == self.decimal_mark else 1
        readings, end = readings[::likely], match.end()
        if part := forms.VULGAR.match(self.plain, end):
            base, end = readings[0].amount, part.end()
            readings = [exact_amount(base + Fraction(unicodedata.numeric(part[1])))]
        elif power := forms.TIMES_TEN.match(self.plain, end):
            exponent = power[1] or unicodedata.normalize("NFKC", power[2]).replace("−", "-")
            readings, end = [it.times(Fraction(10) ** int(exponent)) for it in readings], power.end()
        elif match["decimals"] and not match["mark"] and self._is_version(start, end):
            return self._make(start, end, "identifier", match[0], unit="version")
        if match[0].isdigit() and forms.POINT_BEFORE.search(self.text[max(0, start - 2) : start]):
            start, readings = start - 1, [it.times(Fraction(1, 10 ** len(match[0]))) for it in readings]
        if start > self.at and forms.MINUS_BEFORE.search(self.text[max(0, start - 3) : start]):
            start, readings = start - 1, [reading.times(-1) for reading in readings]
        return self._quantity(start, end, *readings)

    def _is_version(self, start: int, end: int) -> bool:
        before = forms.NAMED_BEFORE.search(self.plain, max(0, start - 40), start)
        unit = forms.UNIT.match(self.plain, end)
        if before is None or (unit and (unit_of(unit[1]) or unit[1].lower() in FACTORS)):
            return False
        word = before[1].lower()
        return not (word in tables.BOUNDS or word in MONTHS or unit_of(word))

    def _number_words_at(self, number: int) -> Value | None:
        start, end, word = *self.tokens[number].span(), self.words[number]
        following = self._next_word(number)
        if tables.PARTS.get(word) == 2:
            return self._fraction(start, end, 1, word)
        if word in tables.ARTICLES:
            if tables.PARTS.get(following, 2) > 2:
                return self._fraction(start, self.tokens[number + 1].end(), 1, following)
            if following in FACTORS and following not in tables.SHORT_FACTORS:
                number += 1  # the number may go on: "a hundred and twenty"
                if self._number_run(number)[0] == number:
                    return self._quantity(start, end, Amount(Fraction(1)))
        last, digits = self._number_run(number)
        end, following = self.tokens[last].end(), self._next_word(last)
        is_article = word in tables.ARTICLES and not (following in FACTORS or unit_of(following))
        half = forms.AND_HALF.match(self.plain, end)
        is_pronoun = word == "one" and following in tables.BEHIND_PRONOUN and not half
        if not digits or (last == number and (word in tables.ROUND_ONLY or is_article or is_pronoun)):
            return None
        if not digits.isdigit():
            return self._ordinal_word_value(start, end, int(re.sub(r"\D", "", digits)), word)
        if tables.PARTS.get(following, 2) > 2 and int(digits) < 20:
            return self._fraction(start, self.tokens[last + 1].end(), int(digits), following)
        if half:
            part = Fraction(1, 4 if half[1] == "quarter" else 2)
            return self._quantity(start, half.end(), exact_amount(Fraction(digits) + part))
        zeros = len(digits) - len(digits.rstrip("0")) if len(digits) > 1 else 0
        return self._quantity(start, end, Amount(Fraction(digits), Fraction(10 ** (zeros - zeros % 3), 2)))

    def _number_run(self, number: int) -> tuple[int, str]:
        last, digits, words = number, "", ""
        for at in range(number, min(number + 12, len(self.words))):
            if at > number and not self._next_word(at - 1):
                break
            words = f"{words} {self.words[at]}".strip()
            if found := _in_digits(words, self.language):
                last, digits = at, found
            elif self.words[at] not in ("and", "et", "und"):
                break
        return last, digits

    def _ordinal_word_value(self, start: int, end: int, amount: int, word: str) -> Value | None:
        rest = re.compile(rf"\s(?:of\s)?([^\W\d_]{{3,}})(?:,?\s{forms.YEAR})?").match(self.plain, end)
        if rest and (month := MONTHS.get(rest[1].lower())) and amount <= 31:
            end = rest.end() if rest["year"] else rest.end(1)
            date = Date(year_range(rest["year"]), (month, month), (amount, amount))
            return self._make(start, end, "date", date)
        if century := forms.CENTURY.match(self.plain, end):
            return self._make(start, century.end(), "date", Date((100 * amount - 99, 100 * amount)))
        is_unit = unit_of(word) and re.search(r"\b(?:per|a|one|\d)[\s-]\Z", self.plain[:start])
        return None if is_unit else self._make(start, end, "ordinal", Amount(Fraction(amount)))

    def _next_word(self, number: int) -> str:
        if number + 1 >= len(self.tokens):
            return ""
        gap = self.plain[self.tokens[number].end() : self.tokens[number + 1].start()]
        return "" if gap.strip(" \n\r\t-") else self.words[number + 1]

    def _fraction(self, start: int, end: int, above: int, word: str) -> Value:
        match = forms.OF_A.match(self.plain, end)
        end = match.end() if match and (unit_of(match[1]) or match[1].lower() in FACTORS) else end
        return self._quantity(start, end, exact_amount(Fraction(above, tables.PARTS[word])))

    def _quantity(self, start: int, end: int, *readings: Amount) -> Value:
        number, money = Span(start, end), self._currency_before(start)
        start, unit, size = (*money, Fraction(1)) if money else (start, "", Fraction(1))
        end, factor = self._factor_after(end, is_money=bool(money))
        if (found := self._unit_after(end)) and (not money or found[1] == unit):
            end, unit, size = found
        if unit and (rate := forms.RATE.match(self.plain, end)):
            written = next(group for group in rate.groups() if group).lower()
            per = tables.RATES.get(written, written)
            end, unit = rate.end(), f"{unit}/{''.join(map(str, unit_of(per) or (per,)))}"
        value = self._make(start, end, "number", *(reading.times(factor) for reading in readings), unit=unit)
        behind = forms.WORDS_BEHIND.match(self.plain, end)
        bound = value.bound or (tables.BOUNDS_BEHIND.get(behind[1].lower(), "") if behind else "")
        word = forms.UNIT.match(self.plain, end) if not unit else None
        noun = word[1] if word and word[1].lower() not in _NO_NOUNS else ""
        return value._replace(number=number, size=size, bound=bound, noun=noun)

    def _currency_before(self, start: int) -> tuple[int, str] | None:
        match = forms.MONEY_BEFORE.search(self.plain, max(self.at, start - 5), start)
        written = match[0].strip().lower() if match else ""
        written = written if written in tables.UNITS or written[-1:] not in tables.SIGNS else written[-1:]
        found = tables.UNITS.get(written)
        if match is None or found is None or not tables.is_currency(found[0]):
            return None
        return match.start() + len(match[0].rstrip()) - len(written), found[0]

    def _factor_after(self, end: int, *, is_money: bool) -> tuple[int, int]:
        match = forms.FACTOR.match(self.plain, end)
        word = match[2].lower() if match else ""
        is_unclear = word in tables.AMBIGUOUS_FACTORS and self.language != "en"  # German "billion" is 10^12
        if match is None or word not in FACTORS or is_unclear:
            return end, 1
        is_short = word in tables.SHORT_FACTORS and (match[1] or match[2] not in ("k", "M", "B", "K"))
        if is_short and not is_money:
            unit = self._unit_after(match.end())
            if unit is None or not tables.is_currency(unit[1]):
                return end, 1
        return match.end(), FACTORS[word]

    def _unit_after(self, end: int) -> tuple[int, str, Fraction] | None:
        match = forms.UNIT.match(self.plain, end)
        if match is None:
            return None
        word = re.sub(r"\s", "", match[1])
        if match[2] and (found := unit_of(f"{word} {match[2]}") or unit_of(f"{word}-{match[2]}")):
            return match.end(), *found
        if found := unit_of(word):
            return match.end(1), *found
        found = unit_of(word.partition("/")[0])
        return (match.start(1) + word.index("/"), *found) if found else None

    def join_values(self, first: Value, second: Value) -> list[Value]:
        """Joins values such as "1 hour 30 minutes". In "1 to 2 km", both values get the unit and a bound."""
        gap = self.plain[first.end : second.start]
        if first.kind != "number" or second.kind != "number" or len(gap) > 9:
            return [first, second]
        is_more = re.fullmatch(r",?\s?(?:and\s|und\s|et\s)?", gap)
        if is_more and first.unit == second.unit and first.size > second.size:
            total = first.amounts[0].amount * first.size / second.size + second.amounts[0].amount
            text = self.text[first.start : second.end]
            return [first._replace(end=second.end, text=text, readings=(Amount(total),), size=second.size)]
        match = forms.RANGE.fullmatch(gap)
        if match is None or second.bound or (first.unit and first.unit != second.unit):
            return [first, second]
        if not first.unit and second.unit:
            _, factor = self._factor_after(second.number.end, is_money=True)
            readings = tuple(reading.times(factor) for reading in first.amounts)
            first = first._replace(unit=second.unit, size=second.size, readings=readings)
        before = (self.plain[max(0, first.bound_start - 9) : first.bound_start].lower().split() or [""])[-1]
        is_range = match[1] in (None, "to", "bis", "à", "through") or before in tables.BETWEEN
        if not is_range or before in ("from", "von", "de"):
            return [first, second]
        return [first._replace(bound="low"), second._replace(bound="high")]
