"""Two texts -> what was kept, deleted and inserted, in whole words, as a reader would mark it."""

from collections.abc import Iterator, Sequence

from rapidfuzz.distance import Indel

from rarr.evals.metrics.words import tokens
from rarr.tools.text.diff import Segment, merged

MOST = 100_000_000
"""Tokens of one text times tokens of the other, up to which they are compared word by word."""


def word_diff(before: str, after: str) -> list[Segment]:
    """Kept and deleted segments together are `before`, kept and inserted ones `after`.

    A space between two changed words goes with them. Texts too long to compare by words are one deletion and
    one insertion between what they share at their ends.
    """
    old, new = tokens(before), tokens(after)
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    old_middle, new_middle = old[start : len(old) - end], new[start : len(new) - end]
    pieces = [
        Segment("kept", "".join(old[:start])),
        *_middle(old_middle, new_middle),
        Segment("kept", "".join(old[len(old) - end :])),
    ]
    return list(merged(_with_spaces(list(merged(pieces)))))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens both start with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _middle(old: Sequence[str], new: Sequence[str]) -> Iterator[Segment]:
    if len(old) * len(new) > MOST:
        yield Segment("deleted", "".join(old))
        yield Segment("inserted", "".join(new))
        return
    for op in Indel.opcodes(old, new):
        gone, come = "".join(old[op.src_start : op.src_end]), "".join(new[op.dest_start : op.dest_end])
        if op.tag == "equal":
            yield Segment("kept", gone)
        else:
            yield Segment("deleted", gone)
            yield Segment("inserted", come)


def _with_spaces(pieces: Sequence[Segment]) -> Iterator[Segment]:
    """A kept space between replaced words is deleted and inserted with them: one change, not two."""
    for n, piece in enumerate(pieces):
        if piece.kind == "kept" and piece.text.isspace() and 0 < n < len(pieces) - 1:
            yield Segment("deleted", piece.text)
            yield Segment("inserted", piece.text)
        else:
            yield piece
