"""Finds unsaid words: a clause of a passage has most words of a claim, but not all of them.

A claim that repeats a clause with a word replaced says something else: "the corn mill" is no "paper mill",
and "the secretary signs the cheques, and the treasurer keeps the books" does not say "the treasurer signs the
cheques". A claim in quite other words is left to the verifier, because its words may mean the same.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, same_value, value_extent
from rarr.tools.text.blocks_and_sentences import Span

SHARED = 0.5
"""The least share of a claim's words that a clause must have, for its other words to count as unsaid. Of 20
wrong sentences that were supported it opens 18, of 53 right ones 23; with 0.6 they are 16 and 15, with 0 they
are 19 and 29 (the tuned halves of `benchmarks.close_claims` and `benchmarks.answers`)."""
_SUBJECT = r"(?:(?:the|an?|each|every|its|their|his|her|it|he|she|they|this|these|there)\s|(?-i:[A-Z]))"
_NO_VERB = r"(?:and|or|nor|of|in|at|on|for|to|from|by|with|as|near|who|which|where|when)"
# A conjunction begins a clause with words of its own if a subject follows. Names are also joined in lists, so
# behind a mere comma or "and" a name must have a verb.
_CLAUSE_END = re.compile(
    rf"""
      [;:()] | \s[–—-]\s | —
    | ,\s+(?: and | but | while | whereas | though | although | yet | so | which | whom | where | when )\s+
      (?={_SUBJECT})
    | \s(?: while | whereas )\s
    | \s(?: and | but )\s+(?=(?: the | an? | its | their | his | her )\s)
    | (?: , | \sand )\s+(?=(?-i:[A-Z][\w'’-]*\s+)+(?!{_NO_VERB}\b)(?-i:[a-z]+)\s)
    """,
    re.VERBOSE | re.IGNORECASE,
)

_SUBORDINATE = re.compile(
    r"\W*(?:while|when|whenever|if|after|before|although|though|because|since|unless|until|as)\b[^,]*(?=,)",
    re.IGNORECASE,
)

_SMALL_WORD = re.compile(r"\b(?!and\b|or\b)[a-z]")


class _Item(NamedTuple):
    """A word of a claim, or a whole name, with its stems. `amount`: the number or date, if it is one."""

    span: Span
    stems: frozenset[str]
    amount: Value | None = None


class _Clause(NamedTuple):
    """The stems of a clause, with those of its sentence's subject and of its passage's title; its values."""

    stems: frozenset[str]
    values: tuple[Value, ...]

    def says(self, item: _Item) -> bool:
        """Does the clause have the word in any inflection, the whole name, or the amount in any form?"""
        if item.amount is not None:
            return any(same_value(item.amount, value) for value in self.values)
        return item.stems <= self.stems


def unsaid_words(claim: ParsedSentence, passages: Sequence[ParsedPassage]) -> Iterator[Span]:
    """Yields the places of the claim's words and names that the clause most like theirs does not say.

    Each clause of the claim is compared with the clauses of all passages. A number or date counts as a word
    that a clause shares, but never as one that it lacks: it has a part of its own. Nothing is yielded if no
    clause has the share `SHARED` of the words.
    """
    clauses = [clause for passage in passages for clause in _clauses(passage)]
    for place in _places(claim.text):
        items = [item for item in _items(claim) if place.start <= item.span.start < place.end]
        missing = ([item for item in items if not clause.says(item)] for clause in clauses)
        lacking = min(missing, key=len, default=items)
        unsaid = [item.span for item in lacking if item.amount is None]
        said = len(items) - len(lacking)
        if said >= SHARED * (said + len(unsaid)):
            yield from unsaid


def _items(claim: ParsedSentence) -> Iterator[_Item]:
    taken = []
    for value in (value for value in claim.values if value.kind != "term"):
        taken.append(span := value_extent(value))
        stems = frozenset(word.stem for word in claim.content if span.start <= word.start < span.end)
        if stems:
            yield _Item(span, stems, None if value.kind == "name" else value)
    for word in claim.content:
        if not any(span.start <= word.start < span.end for span in taken):
            yield _Item(Span(word.start, word.end), frozenset({word.stem}))


@lru_cache(maxsize=1024)
def _clauses(passage: ParsedPassage) -> tuple[_Clause, ...]:
    return tuple(
        _Clause(
            stems | passage.title_stems | _put_in(part),
            tuple(value for value in part.values if place.start <= value.start < place.end),
        )
        for part in passage.sentences
        for place in _places(part.text)
        if (stems := frozenset(word.stem for word in part.content if place.start <= word.start < place.end))
    )


def _put_in(part: ParsedSentence) -> frozenset[str]:
    """Returns the stems of a subject that was put in before a sentence, as in "Elm Mill: it burned"."""
    return frozenset(word.stem for word in part.content if word.end <= part.text.find(": "))


def _places(text: str) -> Iterator[Span]:
    """Yields the places of the clauses of a sentence. A list of names alone is no clause."""
    opening = _SUBORDINATE.match(text)
    ends = {match.start() for match in _CLAUSE_END.finditer(text)} | ({opening.end()} if opening else set())
    start = 0
    for end in sorted(ends):
        if _SMALL_WORD.search(text, start, end):
            yield Span(start, end)
            start = end
    yield Span(start, len(text))
