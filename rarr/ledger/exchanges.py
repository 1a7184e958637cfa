"""Exchanges: an edit that puts a value where the evidence has another one.

"12 euros for members and 18 for guests", "from Oslen to Tarn" and "Reed defeated Lunde" each give two values
of a kind a part to play. An edit must not give the evidence's value the part that the evidence gives to the
other one.
"""

import re
from typing import NamedTuple

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, ValueKind, value_extent
from rarr.backends.rules.words import folded_text
from rarr.tools.text.document import Span

_PIECE = re.compile(r"[,;:()]\s|\s(?:and|but|or|while|whereas|versus|against|than)\s", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\b(from|to|into|by|for|against|over|under|above|below|before|after|behind|until)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?\w+\s+by\s", re.IGNORECASE)
# Who does these things to whom makes no difference.
MUTUAL = re.compile(
    r"\b(?:marri|marry|met\b|meet|join|border|equal|adjoin|resembl|alongside|beside|near)", re.IGNORECASE
)
_LONGEST_VERB = 4
"""Words between two parties of a deed: "was narrowly defeated by"."""


def exchanged(text: ParsedSentence, value: Value, evidence: ParsedSentence, said: Value) -> str:
    """What shows that `value` of the text has a part that the evidence gives to another value than `said`."""
    others = [one for one in evidence.values if one.kind == said.kind and not _overlap(one, said)]
    for other in others:
        shown = (
            _labelled(text, value, evidence, said, other)
            or _directed(text, value, evidence, said, other)
            or _done(text, value, evidence, said, other)
        )
        if shown:
            return f"{shown!r} with {evidence.text[other.start : other.end]!r}"
    return ""


def _labelled(text: ParsedSentence, value: Value, evidence: ParsedSentence, said: Value, other: Value) -> str:
    """The words of the value's piece, where the evidence has them beside the other value alone."""
    own, its = piece(evidence, said), piece(evidence, other)
    if own == its:
        return ""
    mine = labels(text, piece(text, value), value.kind)
    ours, theirs = (labels(evidence, place, value.kind) for place in (own, its))
    if mine.keys() & (ours.keys() - theirs.keys()):
        return ""
    shared = mine.keys() & (theirs.keys() - ours.keys())
    return mine[min(shared)] if shared and ours.keys() - theirs.keys() else ""


def _directed(text: ParsedSentence, value: Value, evidence: ParsedSentence, said: Value, other: Value) -> str:
    """The preposition before the value, where the evidence has it before the other value."""
    mine, ours, its = _before(text, value), _before(evidence, said), _before(evidence, other)
    return mine if mine and ours and mine != ours and mine == its else ""


def _done(text: ParsedSentence, value: Value, evidence: ParsedSentence, said: Value, other: Value) -> str:
    """The deed, where the value does what the evidence says is done to it, or the other way round."""
    ours = _deed(evidence, said, other)
    if ours is None:
        return ""
    for partner in text.values:
        mine = None if _overlap(partner, value) or partner.kind != value.kind else _deed(text, value, partner)
        if mine is not None and mine.stem == ours.stem and mine.does != ours.does:
            return mine.word
    return ""


class _Deed(NamedTuple):
    """What is done by one party to another; `does`: the party that is asked about does it."""

    word: str
    stem: str
    does: bool


def _deed(part: ParsedSentence, party: Value, partner: Value) -> _Deed | None:
    """The one word of meaning between the two; None where there are others, or the deed is mutual."""
    first, second = sorted((party, partner), key=lambda one: one.start)
    between = Span(value_extent(first).end, second.start)
    words = [word for word in part.words if between.start <= word.start and word.end <= between.end]
    content = [word for word in words if word.stem and not folded_text(word.text).endswith("ly")]
    phrase = between.of(part.text)
    if len(content) != 1 or len(words) > _LONGEST_VERB or MUTUAL.search(phrase) or _PIECE.search(phrase):
        return None
    passive = bool(_PASSIVE.search(f" {phrase} "))
    return _Deed(content[0].text, content[0].stem, (party is first) != passive)


def _before(part: ParsedSentence, value: Value) -> str:
    found = _PREPOSITION.search(part.text[: value.start])
    return folded_text(found[1]) if found else ""


def piece(part: ParsedSentence, value: Value) -> Span:
    """From the sign or the conjunction before a value to the next one."""
    place, start = value_extent(value), 0
    for match in _PIECE.finditer(part.text):
        if match.end() <= place.start:
            start = match.end()
        elif match.start() >= place.end:
            return Span(start, match.start())
    return Span(start, len(part.text))


def labels(part: ParsedSentence, place: Span, kind: ValueKind) -> dict[str, str]:
    """The words with meaning at a place, by their stems, without those of the values of `kind`."""
    taken = [value_extent(value) for value in part.values if value.kind == kind]
    return {
        word.stem: word.text
        for word in part.content
        if place.start <= word.start < place.end
        and not any(span.start <= word.start < span.end for span in taken)
    }


def _overlap(one: Value, other: Value) -> bool:
    return one.start < other.end and other.start < one.end
