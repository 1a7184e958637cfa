"""Finds names that a claim pairs otherwise than a passage: "Reed for the buyer, Lund for the seller"."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.exchanged_values import PIECE
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value
from rarr.tools.text.blocks_and_sentences import Span


def unpaired_name(claim: ParsedSentence, passages: Sequence[ParsedPassage]) -> Span | None:
    """Returns the place of a name of the claim that a passage pairs with another name; None for none.

    The two names of the claim stand in two pieces of a coordinated list, each with another name, and in no
    piece of a passage together.
    """
    lists = [list(_pieces(part)) for passage in passages for part in passage.sentences]
    for first, second in combinations([value for value in claim.values if value.kind == "name"], 2):
        names = [_text(claim, value) for value in (first, second)]
        together = any(all(_has(piece, name) for name in names) for pieces in lists for piece in pieces)
        if not together and any(_are_apart(pieces, names) for pieces in lists):
            return Span(second.start, second.end)
    return None


def _are_apart(pieces: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    paired = [piece for piece in pieces if len(piece) > 1]
    return all(any(_has(piece, name) for piece in paired) for name in names)


def _pieces(part: ParsedSentence) -> Iterator[list[str]]:
    """Yields the names in each piece of a sentence, between its commas and conjunctions."""
    start = 0
    for end in [*(match.start() for match in PIECE.finditer(part.text)), len(part.text)]:
        yield [
            _text(part, value) for value in part.values if value.kind == "name" and start <= value.start < end
        ]
        start = end


def _has(piece: Sequence[str], name: str) -> bool:
    return any(same_name(name, other) for other in piece)


def _text(part: ParsedSentence, value: Value) -> str:
    return part.text[value.start : value.end]
