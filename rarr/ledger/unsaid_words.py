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
from rarr.backends.rules.words import Token
from rarr.tools.text.blocks_and_sentences import Span

SHARED = 0.65
"""The least share of a claim's words that a clause must have, for its other words to count as unsaid.

Of 20 wrong sentences that were supported it opens 15, of 159 right ones 34; with 0.5 they are 17 and 49, with
0.72 10 and 17 (`benchmarks.examples`, and the tuned halves of `benchmarks.close_claims` and
`benchmarks.answers`)."""
_HEDGES = {"about", "around", "roughly", "approximately", "nearly", "almost", "some"}
_SUBJECT = r"(?:(?:the|an?|each|every|its|their|his|her|it|he|she|they|this|these|there)\s|(?-i:[A-Z]))"
_NO_VERB = r"(?:and|or|nor|of|in|at|on|for|to|from|by|with|as|near|who|which|where|when)"
# A conjunction begins a clause with words of its own if a subject follows. Names are also joined in lists, so
# behind a mere comma or "and" a name must have a verb.
_CLAUSE_END = re.compile(
    rf"""
      [;:()] | \s[–—-]\s | —
    | ,\s+(?: and | but | while | whereas | though | although | yet | so | which | whom | where | when )\s+
      (?={_SUBJECT})
    | \s(?: while | whereas )\s | ,\s+but\s
    | \s(?: and | but )\s+(?=(?: the | an? | its | their | his | her )\s)
    | (?<!ed)\sand\s+(?=(?:\w\w\w+ed|bought|sold|made|took|won|lost|built|left|held|paid|sent|gave|led)\s)
    | (?: , | \sand )\s+(?=(?-i:[A-Z][\w'’-]*\s+)+(?!{_NO_VERB}\b)(?-i:[a-z]+)\s)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VERB = r"(?:was|were|is|are|has|have|had|will|can|may|must)"
_OTHER_SUBJECT = re.compile(
    rf"\s(?:and|but)\s+(?!{_VERB}\b)(?=(?:[a-z][\w'’-]*\s+){{1,3}}?{_VERB}\s)", re.IGNORECASE
)
_FINITE = re.compile(rf"\b{_VERB}\b", re.IGNORECASE)
"""Behind a verb, "and zinc was" begins a clause. Before one, "the mill and the dam were" is one subject."""
_SUBORDINATE = re.compile(
    r"\W*(?:while|when|whenever|if|after|before|although|though|because|since|unless|until|as)\b(?:[^,]|,(?=\S))*(?=,\s)",
    re.IGNORECASE,
)
_SMALL_WORD = re.compile(r"\b(?!and\b|or\b)[a-z]")


class _Item(NamedTuple):
    """A word of a claim, or a whole name, with its stems. `value`: the name, number or date, if it is one."""

    span: Span
    stems: frozenset[str]
    value: Value | None = None

    @property
    def amount(self) -> Value | None:
        """The number or date, if it is one."""
        return None if self.value is None or self.value.kind == "name" else self.value


class _ClauseWords(NamedTuple):
    """The words of a clause and the values in it.

    `stems` are those of its words, of its sentence's subject, and of the title of its passage.
    """

    words: tuple[Token, ...]
    stems: frozenset[str]
    values: tuple[Value, ...]

    def says(self, item: _Item) -> bool:
        """Does the clause have the word in any inflection, the whole name, or the amount in any form?"""
        if item.amount is not None:
            return any(same_value(item.amount, value) for value in self.values)
        return item.stems <= self.stems

    def lacking(self, items: Sequence[_Item], shared: float) -> list[_Item] | None:
        """Returns the words and names that it does not say; None if it says less than the share `shared`."""
        unsaid = [item for item in items if item.amount is None and not self.says(item)]
        said = sum(map(self.says, items))
        return unsaid if said >= shared * (said + len(unsaid)) else None

    def replaces(self, item: _Item, items: Sequence[_Item]) -> bool:
        """Has the clause a word that the claim lacks in the item's place?

        The place lies between the nearest words before and behind the item that the clause has too.
        """
        before = [other.stems for other in items if other.span < item.span and self.says(other)][-1:]
        behind = [other.stems for other in items if other.span > item.span and self.says(other)][:1]
        starts = [word.end for word in self.words if before and word.stem in before[0]]
        ends = [word.start for word in self.words if behind and word.stem in behind[0]]
        place = Span(max(starts, default=0), max(ends, default=self.words[-1].end))
        of_claim = frozenset[str]().union(*(other.stems for other in items))
        return place.end < place.start or any(
            word.stem not in of_claim and place.start <= word.start < place.end
            for word in self.words
            if not any(value.kind in ("number", "date") and _holds(value, word) for value in self.values)
        )


def unsaid_words(
    claim: ParsedSentence, passages: Sequence[ParsedPassage], shared: float = SHARED
) -> Iterator[Span]:
    """Yields the places of the claim's words and names that the passages do not say with its other words.

    Each clause of the claim is compared with the clause of the passages that has most of its words. It must
    have at least the share `shared` of them, where a number or date counts as a word that it may have, and
    never as one that it lacks. Of the words that it lacks, those are yielded that no passage has, that it
    replaces by another word, or that are the claim's subject or its end, as in "Elm syrup was": the clause
    may be about another thing. If no clause has enough of the words, the best whole sentence is compared,
    and the words are yielded that no passage has.
    """
    clauses = [clause for passage in passages for clause in _clauses(passage)]
    if not clauses:
        return
    wholes = [whole for passage in passages for whole in _wholes(passage)]
    known = frozenset[str]().union(*(passage.title_stems.union(passage.spread) for passage in passages))
    for items in _claim_items(claim):
        best = max(clauses, key=lambda clause: sum(map(clause.says, items)))
        lacking = best.lacking(items, shared)
        if lacking is None:
            whole = max(wholes, key=lambda sentence: sum(map(sentence.says, items)))
            yield from (item.span for item in whole.lacking(items, shared) or () if not item.stems <= known)
            continue
        subject = _subject(claim, items)
        for item in lacking:
            is_of_subject = item is subject or _ends_subject(claim.text, item.span, subject.span)
            if is_of_subject or not item.stems <= known or best.replaces(item, items):
                yield item.span


def _ends_subject(text: str, place: Span, name: Span) -> bool:
    """Does the word at `place` stand between the name and a verb such as "was"?"""
    return text[name.end : place.start] == " " and bool(_FINITE.match(text, place.end + 1))


def _subject(claim: ParsedSentence, items: Sequence[_Item]) -> _Item:
    """Returns the first item, or the name right behind it: in "the painter Ada Lund", the name."""
    first, *rest = items
    named = rest and rest[0].value is not None and rest[0].amount is None
    return rest[0] if named and claim.text[first.span.end : rest[0].span.start].isspace() else first


def _claim_items(claim: ParsedSentence) -> Iterator[list[_Item]]:
    """Yields for each clause of the claim the list of its words, names, numbers and dates, in text order.

    An insertion is a clause of its own.
    """
    items = sorted(_items(claim), key=lambda item: item.span)
    for place in _places(claim.text):
        inner = [span for span in claim.insertions if place.start <= span.start and span.end <= place.end]
        inside = [item for item in items if place.start <= item.span.start < place.end]
        inserted = {item: span for item in inside for span in inner if span.overlaps(item.span)}
        groups = [[item for item in inside if inserted.get(item) == span] for span in (None, *inner)]
        yield from filter(None, groups)


def _items(claim: ParsedSentence) -> Iterator[_Item]:
    taken = []
    for value in (value for value in claim.values if value.kind != "term"):
        taken.append(span := value_extent(value))
        stems = frozenset(word.stem for word in claim.content if span.start <= word.start < span.end)
        if stems:
            yield _Item(span, stems, value)
    for word in claim.content:
        if not any(span.start <= word.start < span.end for span in taken) and not _is_light(word):
            yield _Item(Span(word.start, word.end), frozenset({word.stem}))


def _is_light(word: Token) -> bool:
    """Is the word a hedge, or a digit of a number that is not read? Other rules look at numbers."""
    return word.text.lower() in _HEDGES or word.text.isdigit()


def _holds(value: Value, word: Token) -> bool:
    return value.start <= word.start < value.end


@lru_cache(maxsize=1024)
def _clauses(passage: ParsedPassage) -> tuple[_ClauseWords, ...]:
    places = ((part, place) for part in passage.sentences for place in _places(part.text))
    return tuple(clause for part, place in places if (clause := _words_of(passage, part, place)).words)


@lru_cache(maxsize=1024)
def _wholes(passage: ParsedPassage) -> tuple[_ClauseWords, ...]:
    return tuple(_words_of(passage, part, Span(0, len(part.text))) for part in passage.sentences)


def _words_of(passage: ParsedPassage, part: ParsedSentence, place: Span) -> _ClauseWords:
    words = tuple(word for word in part.content if place.start <= word.start < place.end)
    return _ClauseWords(
        words,
        passage.title_stems | _put_in(part) | {word.stem for word in words},
        tuple(value for value in part.values if place.start <= value.start < place.end),
    )


def _put_in(part: ParsedSentence) -> frozenset[str]:
    """Returns the stems of a subject that was put in before a sentence, as in "Elm Mill: it burned"."""
    return frozenset(word.stem for word in part.content if word.end <= part.text.find(": "))


def _places(text: str) -> Iterator[Span]:
    """Yields the places of the clauses of a sentence. A list of names alone is no clause."""
    opening = _SUBORDINATE.match(text)
    ends = {match.start() for match in _CLAUSE_END.finditer(text)} | ({opening.end()} if opening else set())
    ends |= {
        match.start() for match in _OTHER_SUBJECT.finditer(text) if _FINITE.search(text, 0, match.start())
    }
    start = 0
    for end in sorted(ends):
        if _SMALL_WORD.search(text, start, end):
            yield Span(start, end)
            start = end
    yield Span(start, len(text))
