"""Decides the parts of a sentence that a language model chose among its contrasts in a passage.

The choice confirms its words, which the passage may say in other words. A number, date or name is confirmed
only if a reading without the text in view gave the same.
"""

from collections.abc import Iterable, Mapping, Sequence

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import value_extent
from rarr.backends.rules.whole_sentence_agreement import is_about_statement
from rarr.ledger.asked_places import AskedPlace
from rarr.ledger.span_confirmation import CheckablePlace
from rarr.records import Check, Evidence, Part, Query
from rarr.tools.text.blocks_and_sentences import Span


def stating_check(sentence: str, checks: Iterable[tuple[Query, Check]]) -> Check | None:
    """Returns the first check by which a passage states the whole sentence; None if there is none."""
    return next(
        (
            check
            for query, check in checks
            if is_about_statement(query) and check.verdict == "agrees" and check.text_answer == sentence
        ),
        None,
    )


def is_doubtful_choice(query: Query, checks: Iterable[Check], least: float) -> bool:
    """Do passages disagree with the whole sentence that is asked about, none with the confidence `least`?"""
    confidences = [check.confidence for check in checks if check.verdict == "disagrees"]
    return is_about_statement(query) and all(it is not None and it < least for it in confidences)


def stated_part(
    place: CheckablePlace,
    part: Part,
    stated: Check,
    asked: Sequence[AskedPlace],
    evidence: Mapping[str, Evidence],
) -> Part:
    """Returns the part of `place`, confirmed if it is open and its words or a reading of it confirm it.

    `stated` is the check by which a passage states the whole sentence; `asked` has the readings.
    """
    if part.state != "open":
        return part
    if all(value.kind == "term" for value in place.values):
        return confirmed_by(stated, place)
    for check in (check for other in asked if other.place == place.span for check in other.checks):
        known = evidence.get(check.evidence_id)
        if check.verdict == "agrees" and known and place.has_values_of(check.evidence_answer, known):
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
