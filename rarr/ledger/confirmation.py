"""Does a value of a passage confirm one of the text: does it say all that the text says there?

This is more than that both can mean the same. A year does not confirm a day of it, nor "at least 20" what is
"at least 30", nor half of a name the whole of it; but an exact number confirms a rounded one.
"""

import re
from collections.abc import Sequence

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.dates import Date, is_as_exact
from rarr.backends.rules.name_matching import key_words, same_name, same_word
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.values import Value, same_value

_KIND = re.compile(r"The\s+(?:[\w-]+\s+){0,2}?(?P<kind>[a-z][\w-]+)\s+$")
_FROM_OR_TO = re.compile(r"\b(?P<way>from|to)\s+(?:the\s+|about\s+|around\s+|[$€£])?$", re.IGNORECASE)
_CONVERTED = 0.02
"""Conversions round: 60 metres are given as 197 feet."""


def stands_as(said: Sequence[Value], told: Sequence[Value], evidence: ParsedPassage) -> bool:
    """Do the values `told` in `evidence` confirm all those `said` at a place of the text?

    A value beside which nothing of its kind stands is not compared.
    """
    for value in said:
        alike = [other for other in told if other.kind == value.kind]
        if alike and not any(says(other, value, evidence) for other in alike):
            return False
    return True


def says(told: Value, said: Value, evidence: ParsedPassage) -> bool:
    """Does the value `told` in `evidence` confirm the value `said` in the text?"""
    match told.read, said.read:
        case Quantity() as its, Quantity() as mine:
            return bool(same_value(told, said)) and _covers(its, mine)
        case Date() as its, Date() as mine:
            return bool(same_value(told, said)) and is_as_exact(its, mine)
        case ProperName() as its, ProperName() as mine:
            return _names(its.text, mine.text, evidence)
    return bool(same_value(told, said))


def another_kind(claim: ParsedSentence, evidence: ParsedPassage) -> bool:
    """Does the claim say of what kind its subject is, as "the band Northlight", and the passage does not?"""
    name = next((value for value in claim.values if value.kind == "name"), None)
    kind = _KIND.match(claim.text[: name.start]) if name is not None else None
    stems = {word.stem for word in claim.content if kind and kind.start("kind") == word.start}
    return any(stem not in evidence.spread and stem not in evidence.title_stems for stem in stems)


def turned(before: str, said: Value, evidence: ParsedPassage) -> bool:
    """Is the value, with the words `before` it, where something comes from, and in the passage where it goes?

    Or the other way round.
    """
    mine = _direction(before)
    its = {
        _direction(part.text[: value.start])
        for part in evidence.sentences
        for value in part.values
        if says(value, said, evidence)
    }
    return mine != "" and mine not in its and not its <= {""}


def _direction(before: str) -> str:
    found = _FROM_OR_TO.search(before)
    return "" if found is None else found["way"].lower()


def _covers(its: Quantity, mine: Quantity) -> bool:
    """Is its amount within what the text's number means?"""
    converted = its.form.lower() != mine.form.lower()
    slack = (_CONVERTED if converted else 1e-9) * abs(mine.amount)
    if not (mine.hedged or converted):
        return abs(its.amount - mine.amount) <= slack
    return mine.low - slack <= its.amount <= mine.high + slack


def _names(its: str, mine: str, evidence: ParsedPassage) -> bool:
    """Has it all words of the text's name? Of one that ends alike, the rest may stand elsewhere."""
    wanted, told = key_words(mine), key_words(its)
    missing = [word for word in wanted if not any(same_word(word, other) for other in told)]
    if not missing or not same_name(mine, its):
        return not missing and same_name(mine, its)
    if len(missing) == len(wanted):  # an alias or an acronym
        return True
    elsewhere = all(any(same_word(word, other) for other in evidence.key_words) for word in missing)
    return elsewhere and same_word(wanted[-1], told[-1])
