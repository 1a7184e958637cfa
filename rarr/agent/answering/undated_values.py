"""Tells where a question asks for a time that the triples of its answer do not have."""

import re
from collections.abc import Sequence

from rarr.agent.answering.answer_gaps import name_of
from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.question_parts import QuestionPart

_YEAR = re.compile(
    r"\b(?:in|during|since)\s+(?:the\s+year\s+)?(1\d{3}|20\d\d)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\bwhen\b|\b(?:what|which)\s+(?:year|day|date)\b", re.IGNORECASE)
_DATED = re.compile(r"[+-]?\d{3,4}(?:-\d\d){0,2}(?:T.*)?|.*\b[A-Z][a-z]+ \d{4}")
_COUNT = re.compile(r"\bhow (?:many|much)\b", re.IGNORECASE)


def undated(part: QuestionPart, chosen: Sequence[GivenSource], found: QuestionSources) -> list[str]:
    """Returns the gap of a part that asks when, or for a year, and whose triples have no date."""
    values = [source.triple.object for source in chosen if source.triple is not None]
    dated = not _COUNT.search(part.text) and any(_DATED.fullmatch(value) for value in values)
    if not values or part.is_general or dated:
        return []
    names = " and ".join(name_of(id_, found) for id_ in part.subjects)
    if year := _YEAR.search(part.text):
        return [f"The graph does not date this of {names}: it does not tell what was so in {year[1]}."]
    return [f"The graph does not tell when this was so of {names}."] if _WHEN.search(part.text) else []
