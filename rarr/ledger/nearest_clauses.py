"""Finds the clauses of passages that tell most of what a claim tells."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.values import Value, same_value
from rarr.backends.rules.words import Token
from rarr.tools.text.blocks_and_sentences import Span

LEAST_SHARED = 0.5
"""The least share of the claim's words that a clause must have to tell about the same."""


class Clause(NamedTuple):
    """A clause of a passage or claim: its sentence, its place there, its words with meaning and values."""

    sentence: ParsedSentence
    place: Span
    content: tuple[Token, ...]
    values: tuple[Value, ...]

    @classmethod
    def at(cls, sentence: ParsedSentence, place: Span) -> "Clause":
        """Takes what a place of the sentence holds."""
        content = tuple(word for word in sentence.content if place.start <= word.start < place.end)
        values = tuple(value for value in sentence.values if place.start <= value.start < place.end)
        return cls(sentence, place, content, values)

    @classmethod
    def whole(cls, sentence: ParsedSentence) -> "Clause":
        """Takes the whole sentence as one clause."""
        return cls(sentence, Span(0, len(sentence.text)), sentence.content, sentence.values)

    @property
    def text(self) -> str:
        """The text of the clause."""
        return self.place.of(self.sentence.text)


def nearest_clauses(claim: ParsedSentence | Clause, passages: Sequence[ParsedPassage]) -> list[Clause]:
    """Returns the clauses that have most of the claim's words and values; all of those that have as many.

    Of these, the clauses are kept whose whole sentence has most. Empty if none has at least half of as many
    as the claim has words.
    """
    stems = {word.stem for word in claim.content}
    counts = []
    for passage in passages:
        for part in passage.sentences:
            by_sentence = _told(claim, stems, Clause.whole(part), passage)
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
        yield from _clauses(part.text)


@lru_cache(maxsize=4096)  # each sentence is compared with many
def _clauses(text: str) -> tuple[Clause, ...]:
    part = parsed_sentence(text)
    places = map(Span, [0, *part.clause_ends], [*part.clause_ends, len(text)])
    return tuple(clause for place in places if (clause := Clause.at(part, place)).content)


def _told(claim: ParsedSentence | Clause, stems: set[str], clause: Clause, passage: ParsedPassage) -> int:
    """Counts the words with meaning, numbers and dates of the claim that the clause has."""
    told = sum(
        any(value.kind == other.kind and same_value(value, other) for other in clause.values)
        for value in claim.values
        if value.kind in ("number", "date")
    )
    return told + len(stems & (passage.title_stems | {word.stem for word in clause.content}))
