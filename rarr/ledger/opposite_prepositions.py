"""Finds words on another side: "until the fourth day" where the passage says "from the fourth day"."""

import re
from collections.abc import Iterator, Sequence

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.words import stem
from rarr.ledger.nearest_clauses import nearest_clauses
from rarr.tools.text.blocks_and_sentences import Span

_OTHER_SIDES: dict[str, set[str]] = {
    "before": {"after", "during", "since", "following"},
    "prior to": {"after", "during", "since", "following"},
    "after": {"before", "during", "until", "till", "prior to"},
    "following": {"before", "during", "until", "till", "prior to"},
    "during": {"before", "after", "prior to", "following"},
    "until": {"from", "since", "after"},
    "till": {"from", "since", "after"},
    "since": {"until", "till", "before"},
    "from": {"to", "until", "till", "into"},
    "to": {"from"},
    "into": {"from", "out of"},
    "out of": {"into"},
    "with": {"without"},
    "without": {"with"},
    "above": {"below", "under", "beneath"},
    "below": {"above", "over"},
    "under": {"above", "over"},
    "over": {"below", "under", "beneath"},
    "inside": {"outside"},
    "within": {"outside"},
    "outside": {"inside", "within"},
    "for": {"against", "except"},
    "against": {"for"},
}
_FORMS = "|".join(sorted(_OTHER_SIDES, key=len, reverse=True)).replace(" ", r"\s+")
_PLACE = re.compile(
    rf"\b(?P<side>{_FORMS})\s+(?:(?:the|an?|any|this|that|its|their|his|her|your|our|all|each)\s+)?"
    r"(?P<word>[^\W_][\w'’-]*)",
    re.IGNORECASE,
)


def words_on_another_side(claim: ParsedSentence, passages: Sequence[ParsedPassage]) -> Iterator[Span]:
    """Yields the prepositions of the claim whose word has an opposite one in the nearest clauses.

    Nothing is yielded for a word that one of these clauses has on the claim's side, or not at all.
    """
    claimed = list(sides(claim.text))
    clauses = nearest_clauses(claim, passages) if claimed else []
    told = [{(side, word) for _, side, word in sides(clause.text)} for clause in clauses]
    for place, side, word in claimed:
        others = {(other, word) for other in _OTHER_SIDES[side]}
        if told and all(
            (side, word) not in clause_sides and not others.isdisjoint(clause_sides) for clause_sides in told
        ):
            yield place


def sides(text: str) -> Iterator[tuple[Span, str, str]]:
    """Yields the place of each preposition, its words, and the stem of the first word behind it."""
    for match in _PLACE.finditer(text):
        yield Span(*match.span("side")), " ".join(match["side"].lower().split()), stem(match["word"])
