"""Finds the clauses of passages that tell most of what a claim tells."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, same_value
from rarr.backends.rules.words import Token
from rarr.tools.text.blocks_and_sentences import Span

LEAST_SHARED = 0.5
"""The least share of the claim's words that a clause must have to tell about the same."""


class Clause(NamedTuple):
    """A clause of a passage or claim: its sentence, and its place there."""

    sentence: ParsedSentence
    place: Span

    @property
    def text(self) -> str:
        """The text of the clause."""
        return self.place.of(self.sentence.text)

    @property
    def content(self) -> list[Token]:
        """Its words with meaning."""
        return [word for word in self.sentence.content if self._has(word.start)]

    @property
    def values(self) -> list[Value]:
        """The values in it."""
        return [value for value in self.sentence.values if self._has(value.start)]

    def _has(self, place: int) -> bool:
        return self.place.start <= place < self.place.end


def nearest_clauses(claim: ParsedSentence | Clause, passages: Sequence[ParsedPassage]) -> list[Clause]:
    """Returns the clauses that have most of the claim's words and values; all of those that have as many.

    Of these, the clauses are kept whose whole sentence has most. Empty if none has at least half of as many
    as the claim has words.
    """
    stems = {word.stem for word in claim.content}
    counts = []
    for passage in passages:
        for part in passage.sentences:
            by_sentence = _told(claim, stems, Clause(part, Span(0, len(part.text))), passage)
            counts += [
                (clause, (_told(claim, stems, clause, passage), by_sentence)) for clause in clauses_of([part])
            ]
    most = max((told for _, told in counts), default=(0, 0))
    if not most[0] or most[0] < LEAST_SHARED * len(stems):
        return []
    return [clause for clause, told in counts if told == most]


def clauses_of(sentences: Iterable[ParsedSentence]) -> Iterator[Clause]:
    """Yields the clauses of the sentences that have a word with meaning."""
    for part in sentences:
        starts = [0, *part.clause_ends]
        for place in map(Span, starts, [*part.clause_ends, len(part.text)]):
            if (clause := Clause(part, place)).content:
                yield clause


def _told(claim: ParsedSentence | Clause, stems: set[str], clause: Clause, passage: ParsedPassage) -> int:
    """Counts the words with meaning, numbers and dates of the claim that the clause has."""
    told = sum(
        any(value.kind == other.kind and same_value(value, other) for other in clause.values)
        for value in claim.values
        if value.kind in ("number", "date")
    )
    return told + len(stems & (passage.title_stems | {word.stem for word in clause.content}))
