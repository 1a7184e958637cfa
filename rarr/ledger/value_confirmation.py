"""Decides whether a value of a passage confirms a value of the text: it has to say all that the text says.

It is not enough that both values can mean the same. A year does not confirm a day, "at least 20" does not
confirm "at least 30", and half of a name does not confirm the whole name. An exact number confirms a rounded
number.
"""

import re
from collections.abc import Sequence

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.dates import Date, is_as_exact
from rarr.backends.rules.name_matching import key_words, same_name, surely_same_word
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.proper_names import ProperName
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.quantity_comparison import CONVERSION_ERROR, is_converted
from rarr.backends.rules.values import Value, same_value

_KIND = re.compile(r"The\s+(?:[\w-]+\s+){0,2}?(?P<kind>[a-z][\w-]+)\s+$")
_BEHIND = r"\s+(?:the\s+|about\s+|around\s+|[$€£])?$"
_FROM_OR_TO = re.compile(rf"\b(?:(?P<start>from)|(?P<end>to)){_BEHIND}", re.IGNORECASE)
_SINCE_OR_UNTIL = re.compile(
    rf"\b(?:(?P<start>from|since|after|starting|beginning)|(?P<end>to|until|till|before|by)){_BEHIND}",
    re.IGNORECASE,
)
_PHASE = re.compile(
    r"\b(?:(?P<start>began|begun|begins?|start(?:s|ed)?|took\s+up)|(?P<end>ceas(?:es|ed)|end(?:s|ed)|stop(?:s|ped)))"
    r"\b[^.;,]*\b(?:in|on)\s+$",
    re.IGNORECASE,
)


def confirms_values(
    text_values: Sequence[Value], evidence_values: Sequence[Value], evidence: ParsedPassage
) -> bool:
    """Do `evidence_values`, the values of an answer, confirm all `text_values`, which stand at one place?

    Where the answer has no value of a kind, as "by the mayor" for a year, the evidence must have the value.
    """
    stated = [value for part in evidence.sentences for value in part.values] + evidence.title_names
    for value in text_values:
        alike = [other for other in evidence_values if other.kind == value.kind]
        if not any(confirms_value(other, value, evidence) for other in alike or stated):
            return False
    return True


def confirms_value(evidence_value: Value, text_value: Value, evidence: ParsedPassage) -> bool:
    """Does the value of `evidence` confirm the value of the text?

    A number has to lie in the range of the text's number, a date has to be as exact, and a name has to have
    all words of the text's name.
    """
    match evidence_value.read, text_value.read:
        case Quantity() as stated, Quantity() as claimed:
            return (
                bool(same_value(evidence_value, text_value))
                and stated.per in (None, claimed.per or "")  # a text may end behind its number: no rate
                and _covers_number(stated, claimed)
            )
        case Date() as stated, Date() as claimed:
            return bool(same_value(evidence_value, text_value)) and is_as_exact(stated, claimed)
        case ProperName() as stated, ProperName() as claimed:
            return _confirms_name(stated.text, claimed.text, evidence)
    return bool(same_value(evidence_value, text_value))


def is_another_kind(claim: ParsedSentence, evidence: ParsedPassage) -> bool:
    """Does the claim name the kind of its subject, as in "the band Northlight", and the passage does not?"""
    name = next((value for value in claim.values if value.kind == "name"), None)
    kind = _KIND.match(claim.text[: name.start]) if name is not None else None
    stems = {word.stem for word in claim.content if kind and kind.start("kind") == word.start}
    return any(stem not in evidence.spread and stem not in evidence.title_stems for stem in stems)


def is_direction_reversed(before: str, text_value: Value, evidence: ParsedPassage) -> bool:
    """Does the text say "from" or "since" before the value, and the passage "to" or "until", or the reverse?

    `before` are the words of the text before the value. Beside a date, "by" and "after" have a direction too.
    """
    pattern = _SINCE_OR_UNTIL if text_value.kind == "date" else _FROM_OR_TO
    direction = _direction(pattern, before) or _phase(before)
    evidence_directions = {
        _direction(pattern, part.text[: value.start])
        for part in evidence.sentences
        for value in part.values
        if confirms_value(value, text_value, evidence)
    }
    return direction != "" and direction not in evidence_directions and not evidence_directions <= {""}


def _direction(pattern: re.Pattern[str], before: str) -> str:
    match = pattern.search(before)
    return "" if match is None else str(match.lastgroup)


def _phase(before: str) -> str:
    """Returns "start" behind a verb such as "began", and "end" behind one such as "ceased"; else empty."""
    match = _PHASE.search(before)
    return "" if match is None else str(match.lastgroup)


def _covers_number(stated: Quantity, claimed: Quantity) -> bool:
    """Is the passage's number within the range of the text's number?

    For a number without "about" or the like, it has to be equal; in another unit, it may differ by 2%.
    """
    converted = is_converted(stated, claimed)
    slack = (CONVERSION_ERROR if converted else 1e-9) * abs(claimed.amount)
    if not (claimed.hedged or converted):
        return abs(stated.amount - claimed.amount) <= slack
    return claimed.low - slack <= stated.amount <= claimed.high + slack


def _confirms_name(stated: str, claimed: str, evidence: ParsedPassage) -> bool:
    """Does the passage's name have all words of the text's name, or is one an alias or acronym of the other?

    If both names end with the same word, the other words may stand elsewhere in the passage.
    """
    claimed_words, stated_words = key_words(claimed), key_words(stated)
    missing = [
        word for word in claimed_words if not any(surely_same_word(word, other) for other in stated_words)
    ]
    is_same = same_name(claimed, stated, surely=True)
    if not missing or not is_same:
        return not missing and is_same
    if len(missing) == len(claimed_words):  # an alias or an acronym
        return True
    elsewhere = all(any(surely_same_word(word, other) for other in evidence.key_words) for word in missing)
    return elsewhere and surely_same_word(claimed_words[-1], stated_words[-1])
