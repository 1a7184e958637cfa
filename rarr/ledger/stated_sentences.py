"""Decides the parts of a sentence that a language model chose among its contrasts in a passage.

The choice confirms its words, which the passage may say in other words. A number, date or name is confirmed
only if a reading without the text in view gave the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import value_extent
from rarr.ledger.asked_places import AskedPlace
from rarr.ledger.span_confirmation import CheckablePlace
from rarr.records import Check, Evidence, Part
from rarr.tools.text.blocks_and_sentences import Span

_FIGURE = re.compile(
    r"\d+(?:[.,:]\d+)*|\b(?:half|halves|thirds?|quarters?|twice|thrice|dozens?)\b", re.IGNORECASE
)


def stating_check(checks: Iterable[Check]) -> Check | None:
    """Returns the first check in which a model chose the sentence; None if there is none."""
    return next((check for check in checks if check.chosen and check.verdict == "agrees"), None)


def is_contrast_chosen(checks: Iterable[Check]) -> bool:
    """Do passages disagree with a sentence only because a model chose contrasts to it?"""
    disagreeing = [check for check in checks if check.verdict == "disagrees"]
    return bool(disagreeing) and all(check.chosen for check in disagreeing)


def stated_part(
    place: CheckablePlace,
    part: Part,
    stating: Check,
    asked: Sequence[AskedPlace],
    evidence: Mapping[str, Evidence],
) -> Part:
    """Confirms an open part: words by the choice, a value by a reading that gives the same.

    `stating` is the check in which the sentence was chosen; `asked` has the readings.
    """
    if part.state != "open":
        return part
    if not place.has_value:
        return confirmed_by(stating, place)
    for check in (check for other in asked if other.place == place.span for check in other.checks):
        passage = evidence.get(check.evidence_id)
        if check.verdict == "agrees" and passage and place.has_values_of(check.evidence_answer, passage):
            return confirmed_by(check, place)
    return part


def confirmed_by(check: Check, place: CheckablePlace) -> Part:
    """Returns the part of `place`, confirmed by the words of the evidence in `check`."""
    return place.part("confirmed", check.evidence_id, check.evidence_answer)


def open_values(
    doubted: Sequence[Span], sentence: Span, parsed: ParsedSentence, parts: Sequence[Part]
) -> list[Span]:
    """Selects the places that belong to a number, date or name of the `sentence` that no part confirms."""
    values = [value_extent(value).moved(sentence.start) for value in parsed.values if value.kind != "term"]
    confirmed = [Span(part.start, part.end) for part in parts if part.state == "confirmed"]
    return [
        place
        for place in doubted
        if any(place.overlaps(value) for value in values)
        and not any(place.overlaps(other) for other in confirmed)
    ]


def numbers_outside(parts: Sequence[Part], sentence: Span, text: str) -> list[Span]:
    """Finds the numbers of the sentence that belong to no part: the rules do not read every one."""
    places = [Span(part.start, part.end) for part in parts]
    figures = (Span(*match.span()) for match in _FIGURE.finditer(text, sentence.start, sentence.end))
    return [figure for figure in figures if not any(figure.overlaps(place) for place in places)]
