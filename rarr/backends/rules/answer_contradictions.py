"""Finds how an answer contradicts its reference: another value, denial, two answers, or exchanged roles."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rarr.backends.rules.denied_claims import denials, is_denied, is_negated
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.swapped_roles import has_swapped_roles
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.tools.text.blocks_and_sentences import split_sentences

UNDECIDED = 0.25
"""The score of an answer that offers the right value and another one: "27 or 30 days"."""
_PARTIES = 3  # words with meaning of a reference that tells who did something to whom
_OR = re.compile(r"\s*(?:,\s*)?(?:or\b|/)\s*(?:(?:maybe|perhaps|possibly|even|in|on|at|about|the)\s+)*", re.I)
_OPEN = re.compile(r"\beither\b|\bor (?:maybe|perhaps|possibly)\b", re.I)
_ASKED = re.compile(r"\bhow many (?P<unit>[a-z]+)\b", re.I)
_DEGREES = re.compile(r"\s*(?:degrees?\b|°)")


class Contradiction(NamedTuple):
    """How an answer contradicts its reference, and the score that it gets for this."""

    score: float
    reason: str


def contradiction(answer: str, reference: str, question: str) -> Contradiction | None:
    """Finds how an answer contradicts its reference; None if the rules find nothing."""
    claim, told = parsed_sentence(reference), _sentences(answer)
    if len(claim.content) >= _PARTIES and any(has_swapped_roles(claim, part) for part in told):
        return Contradiction(0.0, "the same words with exchanged roles")
    if other := other_value(answer, reference, question):
        return Contradiction(0.0, other)
    if denied := denied_reference(claim, told, parsed_sentence(question)):
        return Contradiction(0.0, f"it denies {denied!r}")
    if undecided := two_answers(answer, reference):
        return Contradiction(UNDECIDED, undecided)
    return None


def other_value(answer: str, reference: str, question: str) -> str:
    """Tells which value of the reference has another value of its kind in the answer; "" if there is none.

    A value counts as missing only if the answer has a comparable value and no equal one. Names are compared
    by the head, because other forms of a name are common. Values of the question are not compared.
    """
    asked = checkable_values(question)
    given = [
        value for value in checkable_values(answer) if not any(same_value(value, each) for each in asked)
    ]
    for value in checkable_values(reference):
        compared = [same_value(value, other) for other in given]
        if value.kind != "name" and False in compared and True not in compared:
            other = given[compared.index(False)]
            return f"{_shown(other, answer)} is not {_shown(value, reference)}"
    return ""


def denied_reference(claim: ParsedSentence, told: Sequence[ParsedSentence], asked: ParsedSentence) -> str:
    """Returns what the reference `claim` says and all sentences of the answer deny; "" if there is nothing.

    "" also if the question itself denies something, as in "Who did not vote?".
    """
    if any(denials(asked)):
        return ""
    for value in claim.values:
        places = [
            is_negated(part, other.start)
            for part in told
            for other in part.values
            if same_value(value, other)
        ]
        if places and all(places) and not is_negated(claim, value.start):
            return value_extent(value).of(claim.text)
    has_value = any(value.kind in ("number", "date") for value in claim.values)
    if (not has_value and is_denied(claim, told)) or _is_not_who(claim, told, asked):
        return claim.text
    return ""


def two_answers(answer: str, reference: str) -> str:
    """Tells which other value the answer offers beside the right one, joined by "or"; "" if there is none."""
    wanted = checkable_values(reference)
    for first, second in pairwise(checkable_values(answer)):
        right = [any(same_value(value, each) for value in wanted) for each in (first, second)]
        between = answer[value_extent(first).end : second.start]
        if right[0] != right[1] and _OR.fullmatch(between) and _is_other(first, second, answer):
            return f"{_shown(first, answer)} or {_shown(second, answer)}: the answer does not decide"
    return ""


def with_unit_of_reference(answer: str, reference: str) -> str:
    """Writes the unit behind a bare number: "27" answers "27 days", and in "27 or 30 days" both are days.

    A number is bare if it ends its clause, or if a word without a meaning of its own stands behind it. The
    unit of the reference is written only if the answer has no other number than these.
    """
    numbers = [value for value in _numbers(answer) if not answer[: value.start].endswith("below ")]
    units = [_unit(value, reference) for value in _numbers(reference)]
    joined = [_OR.fullmatch(answer[first.end : second.start]) for first, second in pairwise(numbers)]
    if len(units) == 1 and numbers and all(joined) and _is_bare(numbers[-1], answer):
        answer = _with_unit(answer, numbers[-1].end, units[0])
    for (first, second), is_joined in reversed([*zip(pairwise(numbers), joined, strict=True)]):
        if is_joined and _is_bare(first, answer):
            after = next(each for each in checkable_values(answer) if each.start >= second.start)
            answer = _with_unit(answer, first.end, _unit(after, answer))
    return answer


def with_unit_of_question(reference: str, question: str) -> str:
    """Writes the unit that a question asks for behind a bare number: "27" days for "how many days"."""
    asked, numbers = _ASKED.search(question), _numbers(reference)
    if asked is None or len(numbers) != 1 or not _is_bare(numbers[0], reference):
        return reference
    place = numbers[0].end
    written = f"{reference[:place]} {asked['unit']}{reference[place:]}"
    return written if any(_unit(number, written) for number in _numbers(written)) else reference


def _numbers(text: str) -> list[Value]:
    return [value for value in checkable_values(text) if value.kind == "number"]


def _with_unit(text: str, place: int, unit: str) -> str:
    """Writes a unit behind a number; "degrees" alone are those of the unit."""
    degrees = _DEGREES.match(text, place)
    if degrees and not _DEGREES.match(unit):
        return text
    return text[:place] + unit + text[degrees.end() if degrees else place :]


def _is_bare(number: Value, text: str) -> bool:
    if _unit(number, text) or getattr(number.read, "unit", ""):
        return False
    behind = next((word for word in parsed_sentence(text).words if word.start >= number.end), None)
    ends = behind is None or not behind.stem or re.match(r"\s*[.,;:!?)]", text[number.end :])
    return bool(ends or _DEGREES.match(text, number.end))


def _unit(number: Value, text: str) -> str:
    return text[number.end : value_extent(number).end]


def _shown(value: Value, text: str) -> str:
    return repr(value_extent(value).of(text))


def _is_other(first: Value, second: Value, text: str) -> bool:
    """Are these two values, and not two ways to write one, as "228 minutes or 3 hours and 48 minutes"?

    Two names with "or" often name one thing: they are two answers behind "either", or with "or perhaps".
    """
    if first.kind == "name" and not _OPEN.search(text[: second.start]):
        return False
    forms = [getattr(each.read, "form", "").removesuffix("s") for each in (first, second)]
    return forms[0] == forms[1] and same_value(first, second) is False


def _is_not_who(claim: ParsedSentence, told: Sequence[ParsedSentence], asked: ParsedSentence) -> bool:
    """Does the answer deny of the reference what was asked: "the city did not pay" for "who paid?"."""
    stems = {word.stem for word in claim.content}
    about = [part for part in told if stems <= {word.stem for word in part.content}]
    return bool(stems and about) and all(_denies_of(stems, part, asked) for part in about)


def _denies_of(stems: set[str], part: ParsedSentence, asked: ParsedSentence) -> bool:
    """Does a clause with the words `stems` deny behind them a word of the question?"""
    question = {word.stem for word in asked.content}
    for negator, behind in denials(part):
        clause = part.clause(negator.start)
        before = {w.stem for w in part.content if w.end <= negator.start and part.clause(w.start) == clause}
        # "in 1983, not 1990" denies a year, and not what was done
        denied = {word.stem for word in behind if not word.text[0].isdigit()}
        if stems <= before and not question.isdisjoint(denied):
            return True
    return False


def _sentences(answer: str) -> list[ParsedSentence]:
    return [parsed_sentence(span.of(answer)) for span in split_sentences(answer)]
