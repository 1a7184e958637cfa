"""Misplacement: a passage says a value of the text, but of something else than the text does.

"60% in Auto and 55% in Night" is not confirmed by "Auto: 55%" and "Night: 60%", nor "Reed bought the mill
from Lunde" by "Lunde acquired the mill from Reed".
"""

import re
from typing import NamedTuple

from rarr.backends.rules.assertion import is_asserted
from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.negation import is_negated
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, same_value, value_extent
from rarr.ledger.confirmation import says
from rarr.ledger.exchanges import MUTUAL, exchanged, labels, piece
from rarr.ledger.measures import is_row, measures_otherwise
from rarr.tools.text.document import Span

_OBLIQUE = re.compile(
    r"\b(?:about|against|among|at|behind|beside|between|by|for|from|in|into|near|of|on|over|than|to|under|with)"
    r"\s+(?:(?:the|a|an|its|his|her|their)\s+)?(?:[a-z][\w-]*\s+)?$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\bthe\s+$", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?\b")
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:,|and|or|&|with|,\s*and)\s*(?:the\s+)?", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|was|were|be|been)\b", re.IGNORECASE)


def misplaced(claim: ParsedSentence, value: Value, evidence: ParsedPassage) -> bool:
    """Does the passage say the value of something else?

    Of the sentences that say it, those count that share the most words with the claim.
    """
    places = [
        (part, said) for part in evidence.sentences for said in part.values if says(said, value, evidence)
    ]
    shared = [len(_around(claim, value) & _around(part, said)) for part, said in places]
    return bool(places) and all(
        _is_exchanged(claim, value, part, said)
        or _is_labelled_otherwise(claim, value, part, said, evidence)
        or _parties_changed_places(claim, part)
        or _is_one_of_a_row(part, said)
        or measures_otherwise(claim, value, part, said, evidence)
        or is_asserted(part.text, said.start) != is_asserted(claim.text, value.start)
        or is_negated(part, said.start) != is_negated(claim, value.start)
        for (part, said), count in zip(places, shared, strict=True)
        if count == max(shared)
    )


def _is_one_of_a_row(part: ParsedSentence, said: Value) -> bool:
    """Is it a cell beside others of its kind? The row does not tell of which column each is."""
    others = [one for one in part.values if one.kind == said.kind == "number" and one is not said]
    return is_row(part) and any(same_value(one, said) is not None for one in others)


def _is_exchanged(claim: ParsedSentence, value: Value, part: ParsedSentence, said: Value) -> bool:
    """Does another value of the sentence have the words that stand beside the claim's value?"""
    if value.kind == "name" and bool(_BY.search(claim.text)) != bool(_BY.search(part.text)):
        return False  # in the passive, the words around a name are others
    return bool(exchanged(claim, value, part, said))


def _around(part: ParsedSentence, value: Value) -> set[str]:
    """The words with meaning around a value, by their stems."""
    place = value_extent(value)
    return {word.stem for word in part.content if not place.start <= word.start < place.end}


def _is_labelled_otherwise(
    claim: ParsedSentence, value: Value, part: ParsedSentence, said: Value, evidence: ParsedPassage
) -> bool:
    """Does another sentence name what stands beside the claim's value, and give another value there?

    Rows of a table and items of a list are sentences of their own.
    """
    mine = set(labels(claim, piece(claim, value), value.kind))
    ours = set(labels(part, Span(0, len(part.text)), value.kind))
    named = mine & _name_stems(claim)
    others = [
        set(labels(other, Span(0, len(other.text)), value.kind))
        for other in evidence.sentences
        if any(one.kind == said.kind and same_value(one, said) is False for one in other.values)
    ]
    return any(named & (theirs - ours) and not mine & (ours - theirs) for theirs in others)


def _name_stems(part: ParsedSentence) -> set[str]:
    named = [value for value in part.values if value.kind == "name"]
    return {word.stem for word in part.content if any(name.start <= word.start < name.end for name in named)}


class _Party(NamedTuple):
    """A name, or a noun with its article, that may do something or have it done to it."""

    place: Span
    name: Value | None
    stem: str

    def is_same(self, other: "_Party") -> bool:
        """Do both stand for the same?"""
        if self.name is not None and other.name is not None:
            return bool(same_value(self.name, other.name))
        return self.name is other.name and self.stem == other.stem


def _parties(part: ParsedSentence) -> list[_Party]:
    named = [_Party(Span(value.start, value.end), value, "") for value in part.values if value.kind == "name"]
    nouns = [
        _Party(Span(word.start, word.end), None, word.stem)
        for word in part.content
        if _ARTICLE.search(part.text, 0, word.start)
        and not any(word.start < one.place.end and one.place.start < word.end for one in named)
    ]
    return [*named, *nouns]


def _parties_changed_places(claim: ParsedSentence, part: ParsedSentence) -> bool:
    """Does the passage have a party act on the one that acts on it in the claim?"""
    mine, its = _agent(claim), _agent(part)
    if mine is None or its is None or mine.is_same(its):
        return False
    suffers = next((one for one in _parties(part) if one.is_same(mine)), None)
    acts_on = next((one for one in _parties(claim) if one.is_same(its)), None)
    if suffers is None or acts_on is None:
        return False
    return _acts(claim, mine.place, acts_on.place) and _acts(part, its.place, suffers.place)


def _agent(part: ParsedSentence) -> _Party | None:
    """Who seems to act: the first party that follows no preposition."""
    parties = sorted(_parties(part), key=lambda one: one.place)
    return next((one for one in parties if not _OBLIQUE.search(part.text[: one.place.start])), None)


def _acts(part: ParsedSentence, first: Span, second: Span) -> bool:
    """Does the first of two parties seem to do something to the second, in the active voice?"""
    between = part.text[first.end : second.start]
    if second.start < first.end or _POSSESSIVE.match(between):
        return False
    acts = any(word.stem for word in part.words if first.end <= word.start < second.start)
    return acts and not (
        _BY.search(between) or _IS.search(between) or MUTUAL.search(between) or _LISTED.fullmatch(between)
    )
