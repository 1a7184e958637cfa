"""Finds the type of a short answer: by the readers of values, and by the words of names and questions."""

import re

from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.values import ValueKind, checkable_values, value_extent
from rarr.evals.conflicts.question_rows import AnswerType

_ORGANIZATION_WORDS = """
association agency bank band board bureau church club college commission committee company congress
corporation corp council court department fc federation foundation group inc institute league limited llc
ltd ministry museum office orchestra organisation organization party records school senate society studios
team trust union university
"""
_ORGANIZATION = frozenset(_ORGANIZATION_WORDS.split())
_LOCATION_WORDS = """
airport avenue bay beach bridge canal castle cathedral city coast county creek desert district falls forest
gulf island islands lake mountain mountains ocean palace park peninsula peak province river road sea square
state strait street town valley village
"""
_LOCATION = frozenset(_LOCATION_WORDS.split())
_PLACES_WORDS = """
africa alaska america antarctica arizona argentina asia australia austria belgium berlin boston brazil
britain bulgaria california canada chicago chile china colombia colorado cuba denmark egypt england europe
finland florida france georgia germany greece hawaii hungary india indiana iran iraq ireland israel italy
japan kenya london madrid maine maryland mexico michigan montana moscow nevada nigeria norway ohio oregon
pakistan paris peru poland portugal rome russia scotland spain sweden switzerland texas tokyo turkey utah
vermont vietnam virginia wales washington wisconsin wyoming
"""
_PLACES = frozenset(_PLACES_WORDS.split())
_WHO = re.compile(r"^\W*(?:\w+\s+){0,3}?(?:who|whose|whom)\b", re.IGNORECASE)
_WHERE = re.compile(
    r"\bwhere\b|\b(?:which|what)\s+(?:\w+\s+)?(?:city|country|state|town|river|island|county|continent)\b",
    re.IGNORECASE,
)
_BODY = re.compile(
    r"\b(?:which|what)\s+(?:\w+\s+)?(?:company|band|team|club|party|university|organi[sz]ation|bank)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"(?:\b(?:on|in|at|the|about|around)\b|\W)*", re.IGNORECASE)
_PARTICLES = ("the", "de", "van", "von", "of", "da", "al", "and")
_MOST_NAME_WORDS = 5


def answer_type(answer: str, question: str) -> AnswerType | None:
    """Returns the type of an answer to a question; None if it is of no type, or if the type is not clear.

    A date or number must be all of the answer. A name is told by its own words, then by the question.
    """
    kinds = {value.kind: value for value in checkable_values(answer)}
    for kind in ("date", "number"):
        if kind in kinds and _is_all(answer, kind):
            return "date" if kind == "date" else "number"
    return None if kinds.keys() & {"date", "number"} else _name_type(answer, question)


def _is_all(answer: str, kind: ValueKind) -> bool:
    rest = answer
    for value in reversed(checkable_values(answer)):
        if value.kind == kind:
            place = value_extent(value)
            rest = rest[: place.start] + rest[place.end :]
    return _BESIDE.fullmatch(rest) is not None


def _name_type(answer: str, question: str) -> AnswerType | None:
    words = key_words(answer)
    if not words or len(answer.split()) > _MOST_NAME_WORDS or not _is_titled(answer):
        return None
    if words[-1] in _ORGANIZATION or words[0] in ("university", "bank", "ministry", "department"):
        return "organization"
    if words[-1] in _LOCATION or words[0] in ("lake", "mount", "gulf", "isle") or _PLACES & {words[-1]}:
        return "location"
    if _WHERE.search(question):
        return "location"
    if _BODY.search(question):
        return "organization"
    is_name = len(answer.split()) > 1 and not answer.lower().startswith("the ")
    return "person" if is_name and _WHO.search(question) else None


def _is_titled(answer: str) -> bool:
    """Does each word start with a capital letter, except an article and the particles of names?"""
    words = [word for word in answer.split() if word[0].isalnum()]
    return bool(words) and words[-1][0].isupper() and all(w[0].isupper() or w in _PARTICLES for w in words)
