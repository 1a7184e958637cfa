"""Finds the kind of value that a question asks for, and whether a sentence has such a value."""

import re
from collections.abc import Callable, Iterator, Set
from typing import NamedTuple

from rarr.backends.rules.quantities import ORDINAL, Quantity
from rarr.backends.rules.units import base_unit
from rarr.backends.rules.values import Value, checkable_values
from rarr.backends.rules.words import Token, stem, word_tokens

_NEAR = 4  # words between a number and what it counts
_RELATIVE = re.compile(r"\b(?:twice|thrice|half|times)\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|spring|summer|autumn|winter|christmas|easter"
    r"|january|february|march|april|may|june|july|august|september|october|november|december|midnight|noon"
    r"|\d{1,2}(?::\d\d)?\s?(?:am|pm|o['’]clock)|daily|every (?:day|week|month|year))\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|on|at|near|to|from|along|between|opposite|outside|inside|beside)\s+\w", re.IGNORECASE
)
_REASON = re.compile(
    r"\b(?:because|due to|owing to|thanks to|since|as a result|caused|reasons?|so that|in order to)\b",
    re.IGNORECASE,
)
_AMOUNTS = (
    "population height length width depth area price cost weight mass age speed number distance elevation"
    " temperature revenue turnover profit budget size capacity diameter"
)


class Measure(NamedTuple):
    """What "how high" asks for: the words that name it, and the base units in which it is told."""

    words: frozenset[str]
    units: frozenset[str]


def _measure(words: str, *units: str) -> Measure:
    return Measure(frozenset(stem(word) for word in words.split()), frozenset(units))


_MEASURES = {
    "high": _measure("high height tall", "metre"),
    "tall": _measure("high height tall", "metre"),
    "long": _measure("long length take last lasted", "metre", "second", "day", "year"),
    "wide": _measure("wide width broad", "metre"),
    "deep": _measure("deep depth", "metre"),
    "far": _measure("far distance away from", "metre"),
    "heavy": _measure("heavy weigh weight mass", "kilogram"),
    "fast": _measure("fast speed quick", "kilometre per hour"),
    "old": _measure("old age aged", "year", "day", ""),
    "hot": _measure("hot temperature warm", "degree"),
    "cold": _measure("cold temperature", "degree"),
    "big": _measure("big large size area", "square metre", "metre", "litre", "kilogram"),
    "large": _measure("big large size area", "square metre", "metre", "litre", "kilogram"),
}
_HOW = re.compile(rf"\bhow ({'|'.join(_MEASURES)})\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many\s+(?:of the\s+)?(?P<noun>[\w'’-]+(?:\s+[\w'’-]+)?)", re.IGNORECASE)
_AMOUNT = re.compile(rf"\b(?:what|which)\b[^?]{{0,30}}?\b(?:{_AMOUNTS.replace(' ', '|')})\b", re.IGNORECASE)
_DATE = re.compile(
    r"\bwhen\b|\b(?:what|which)\s+(?:date|year|day|month)\b|\b(?:what|which)\b[^?]{0,15}?\bdate of\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)
_WHY = re.compile(r"\bwhy\b", re.IGNORECASE)


_WORK = frozenset(map(stem, ("work", "worker", "employee", "staff", "employ", "workforce", "employer")))
_ROOT = 4  # letters of a root


def root(word_stem: str) -> str:
    """Returns a form that a verb and its nouns share: work and worker, design and designer."""
    if word_stem in _WORK:
        return min(_WORK)
    endings = (each for each in ("er", "or", "ion", "ing", "ment") if word_stem.endswith(each))
    shorter = word_stem.removesuffix(next(endings, ""))
    return shorter if len(shorter) >= _ROOT else word_stem


def measure_of(question: str) -> Measure | None:
    """Returns what a question with "how high" and the like asks for; None for any other question."""
    match = _HOW.search(question)
    return _MEASURES[match[1].lower()] if match else None


def asks_who(question: str) -> bool:
    """Does the question ask for a person or an organisation?"""
    return _WHO.search(question) is not None


def has_asked_value(question: str, sentence: str, known: Set[str]) -> bool:
    """Has the sentence a value of the kind that the question asks for?

    `known` are the stems of the words that tell nothing new: those of the question and of its subject. Who: a
    name; when: a date; how many and how high: a number with a fitting unit; where: a place; why: a reason.
    Every sentence has what other questions ask for.
    """
    return all(has(question, sentence, known) for has in _needed(question))


def new_names(sentence: str, known: Set[str]) -> list[Value]:
    """Returns the names in a sentence that have a word which is not `known`."""
    names = (value for value in checkable_values(sentence) if value.kind == "name")
    return [
        name
        for name in names
        if any(word.stem and word.stem not in known for word in word_tokens(sentence[name.start : name.end]))
    ]


_Test = Callable[[str, str, Set[str]], bool]


def _needed(question: str) -> Iterator[_Test]:
    """Yields a test for the first kind of value that the words of the question ask for."""
    tests: tuple[tuple[re.Pattern[str], _Test], ...] = (
        (_COUNT, _has_count),
        (_HOW, _has_measure),
        (re.compile(r"\bhow much\b", re.IGNORECASE), _has_number),
        (_DATE, _has_date),
        (_WHO, _has_agent),
        (_WHERE, _has_place),
        (_WHY, lambda question, sentence, known: _REASON.search(sentence) is not None),
        (_AMOUNT, _has_number),
    )
    yield from (test for pattern, test in tests if pattern.search(question))


def _has_date(question: str, sentence: str, known: Set[str]) -> bool:
    asked = {
        question[value.start : value.end] for value in checkable_values(question) if value.kind == "date"
    }
    told = [sentence[value.start : value.end] for value in checkable_values(sentence) if value.kind == "date"]
    return any(date not in asked for date in told) or _TIME.search(sentence) is not None


def _has_agent(question: str, sentence: str, known: Set[str]) -> bool:
    by = re.search(r"\bby\s+(?:(?:the|an?)\s+)?[A-Za-z]", sentence)
    return bool(new_names(sentence, known)) or by is not None


def _has_place(question: str, sentence: str, known: Set[str]) -> bool:
    dates = [value for value in checkable_values(sentence) if value.kind == "date"]
    return any(
        not any(date.start <= match.end() - 1 < date.end for date in dates)
        for match in _PLACE.finditer(sentence)
    )


def _has_number(question: str, sentence: str, known: Set[str]) -> bool:
    return any(True for _ in _numbers(sentence))


def _has_measure(question: str, sentence: str, known: Set[str]) -> bool:
    measure = measure_of(question)
    return measure is not None and any(_unit(number) in measure.units for number in _numbers(sentence))


def _has_count(question: str, sentence: str, known: Set[str]) -> bool:
    """Does a number count what the question counts, or does the sentence name the count, as a population?"""
    match = _COUNT.search(question)
    counted = {root(word.stem) for word in word_tokens(match["noun"])[:2] if word.stem} if match else set()
    words = word_tokens(sentence)
    return any(
        counted & {root(word.stem) for word in _near(words, number)} for number in _numbers(sentence)
    ) and not _RELATIVE.search(sentence)


def _near(words: list[Token], number: Quantity) -> list[Token]:
    before = [word for word in words if word.end <= number.start][-_NEAR:]
    return before + [word for word in words if word.start >= number.end][:_NEAR]


def _numbers(sentence: str) -> Iterator[Quantity]:
    """Yields the numbers that are no dates."""
    for value in checkable_values(sentence):
        if isinstance(value.read, Quantity) and value.read.unit not in (ORDINAL, "times"):
            yield value.read


def _unit(number: Quantity) -> str:
    try:
        return base_unit(number.unit)[0] if number.unit else ""
    except KeyError:
        return number.unit
