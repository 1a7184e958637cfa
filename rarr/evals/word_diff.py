"""Marks the kept, deleted and inserted words between two texts, as a reader would mark them."""

import re
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import Indel

from rarr.tools.text.edit_segments import Piece, merged

# A number with its separators is one word, and so is a punctuation mark. In scripts without spaces, each
# character is a word; otherwise one changed character would change a whole clause. White space is kept.
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)+|[぀-ヿ㐀-䶿一-鿿]|[^\W぀-ヿ㐀-䶿一-鿿]+|[^\w\s]|\s+")
MOST = 100_000_000
"""The largest product of the numbers of tokens for which two texts are compared word by word."""


def word_diff(before: str, after: str) -> list[Piece]:
    """Compares two texts by words. Kept and deleted segments are `before`, kept and inserted ones `after`.

    A space between two changed words is changed with them. Texts that are too long for a comparison by words
    become one deletion and one insertion between their common beginning and end.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    old_middle, new_middle = old[start : len(old) - end], new[start : len(new) - end]
    pieces = [
        Piece("kept", "".join(old[:start])),
        *_middle(old_middle, new_middle),
        Piece("kept", "".join(old[len(old) - end :])),
    ]
    return list(merged(_with_spaces(list(merged(pieces)))))


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """Counts the tokens at the beginning that both share."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(first), len(second)))


def _middle(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    if len(old) * len(new) > MOST:
        yield Piece("deleted", "".join(old))
        yield Piece("inserted", "".join(new))
        return
    for op in Indel.opcodes(old, new):
        gone, come = "".join(old[op.src_start : op.src_end]), "".join(new[op.dest_start : op.dest_end])
        if op.tag == "equal":
            yield Piece("kept", gone)
        else:
            yield Piece("deleted", gone)
            yield Piece("inserted", come)


def _with_spaces(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Deletes and inserts a kept space with the replaced words around it, so that they are one change."""
    for n, piece in enumerate(pieces):
        if piece.kind == "kept" and piece.text.isspace() and 0 < n < len(pieces) - 1:
            yield Piece("deleted", piece.text)
            yield Piece("inserted", piece.text)
        else:
            yield piece
