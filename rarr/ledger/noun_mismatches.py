"""Finds replaced nouns: a passage says the rest of a sentence about another noun, and has the noun elsewhere.

"The secretary signs the cheques, and the treasurer keeps the books" does not say "the treasurer signs the
cheques". A noun that the passage lacks may be a synonym of one that it has, so it counts as replaced nowhere.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.exchanged_values import is_other_voice
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.words import Token
from rarr.tools.text.blocks_and_sentences import Span

_DETERMINER = r"(?:the|an?|each|every|its|their|his|her)"
# A noun may have an adjective or another noun before it.
_BEFORE_NOUN = re.compile(rf"\b{_DETERMINER}\s+(?:[a-z-]+\s+)?$", re.IGNORECASE)
_CLAUSE_END = re.compile(
    rf"[,;:]\s+(?:and\s+|but\s+)?|\s(?:and|but|while|whereas)\s+(?={_DETERMINER}\s)", re.IGNORECASE
)
_FEWEST_WORDS = 2
"""The fewest words of the claim beside the noun that a clause must have."""


def replaced_nouns(claim: ParsedSentence, passages: Sequence[ParsedPassage]) -> Iterator[Span]:
    """Yields the places of the claim's nouns that the passages replace by another noun.

    A noun counts as replaced if some clause has all other words of the claim, and each such clause has
    another noun in its place. With fewer than `_FEWEST_WORDS` other words, nothing is yielded.
    """
    clauses = [
        clause
        for passage in passages
        for part in passage.sentences
        if not is_other_voice(claim, part)
        for clause in _clauses(part, passage)
    ]
    for noun in _nouns(claim, claim.content):
        others = {word.stem for word in claim.content} - {noun.stem}
        alike = [clause for clause in clauses if others <= {word.stem for word in clause.words}]
        if len(others) < _FEWEST_WORDS or not alike:
            continue
        if all(_is_replaced(noun, others, clause, is_subject=noun is claim.content[0]) for clause in alike):
            yield Span(noun.start, noun.end)


class _Clause(NamedTuple):
    """The content words of a clause, with its sentence and passage."""

    part: ParsedSentence
    words: Sequence[Token]
    passage: ParsedPassage


def _is_replaced(noun: Token, others: set[str], clause: _Clause, *, is_subject: bool) -> bool:
    """Does the clause have another noun in the noun's place, and the passage the noun elsewhere?

    The place is before the other words for a subject, and else behind the first of the other words.
    """
    has_noun = any(word.stem == noun.stem for word in clause.words)
    if has_noun or not any(noun.stem in stems for stems in clause.passage.own_stems):
        return False
    first = next(word.start for word in clause.words if word.stem in others)
    nouns = [word for word in _nouns(clause.part, clause.words) if word.stem not in others]
    return any((word.start < first) == is_subject for word in nouns)


def _nouns(part: ParsedSentence, words: Sequence[Token]) -> list[Token]:
    """Selects words that stand behind a determiner, or one word further, and in no name, number or date."""
    return [
        word
        for word in words
        if _BEFORE_NOUN.search(part.text, 0, word.start)
        and not any(v.kind != "term" and v.start <= word.start < v.end for v in part.values)
    ]


def _clauses(part: ParsedSentence, passage: ParsedPassage) -> Iterator[_Clause]:
    ends = [match.start() for match in _CLAUSE_END.finditer(part.text)]
    for start, end in zip([0, *ends], [*ends, len(part.text)], strict=True):
        if words := [word for word in part.content if start <= word.start < end]:
            yield _Clause(part, words, passage)
