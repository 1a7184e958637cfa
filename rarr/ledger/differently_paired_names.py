"""Finds names that a claim pairs otherwise than a passage: "Reed for the buyer, Lund for the seller"."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from rarr.backends.rules.counterparts import ParsedPassage
from rarr.backends.rules.name_matching import same_name
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.tools.text.blocks_and_sentences import Span

_JOINT = re.compile(r";\s|\s(?:and|but|while|whereas)\s")


def unpaired_name(claim: ParsedSentence, passages: Sequence[ParsedPassage]) -> Span | None:
    """Returns the place of a name of the claim that a passage pairs with another name; None for none.

    The two names stand side by side in the claim. A passage has them in two pieces of a list, each beside
    another name, and no passage has them side by side.
    """
    lists = [list(_pieces(part)) for passage in passages for part in passage.sentences]
    for pair in (pair for piece in _pieces(claim) for pair in combinations(piece, 2)):
        names = [place.of(claim.text) for place, _ in pair]
        together = any(all(_has(piece, name) for name in names) for pieces in lists for piece in pieces)
        if not together and any(_are_apart(pieces, names) for pieces in lists):
            return pair[1][0]
    return None


def _are_apart(pieces: Sequence["_Piece"], names: Sequence[str]) -> bool:
    paired = [piece for piece in pieces if len(piece) > 1]
    return all(any(_has(piece, name) for piece in paired) for name in names)


_Piece = list[tuple[Span, str]]
"""The names between two conjunctions of a sentence, with their places."""


def _pieces(part: ParsedSentence) -> Iterator[_Piece]:
    names = [Span(value.start, value.end) for value in part.values if value.kind == "name"]
    start = 0
    for end in [*(match.start() for match in _JOINT.finditer(part.text)), len(part.text)]:
        yield [(place, place.of(part.text)) for place in names if start <= place.start < end]
        start = end


def _has(piece: _Piece, name: str) -> bool:
    return any(same_name(name, other) for _, other in piece)
