"""Turns edits into pieces of text (kept, deleted or inserted characters), in the order of the text."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple, TypeVar

from rarr.records import Edit, Part, Sentence

PieceKind = Literal["kept", "deleted", "inserted"]
Place = TypeVar("Place", Sentence, Part)


class Piece(NamedTuple):
    """A piece of two texts: the original ("deleted"), the revised text ("inserted"), or both ("kept").

    `edit`: the id of the edit that deleted or inserted the piece; "" if several edits may have done it.
    `part`: the part of a sentence that holds the piece, such as unconfirmed words; only HTML pages set it.
    """

    kind: PieceKind
    text: str
    edit: str = ""
    part: Part | None = None


def segments(original: str, edits: Sequence[Edit]) -> list[Piece]:
    """Applies the accepted edits to `original`. Returns the pieces of the original and the revised text.

    Kept and deleted pieces together are the original text; kept and inserted pieces are the revised text.
    Between two kept pieces there is at most one deleted piece, then at most one inserted piece.
    """
    return list(merged_pieces(segments_by_edit(original, edits)))


def segments_by_edit(original: str, edits: Sequence[Edit]) -> list[Piece]:
    """Returns the pieces of `segments` before they are joined. Each changed piece has the id of its edit.

    An edit that was not accepted becomes an empty deleted piece after the text that it would replace.
    """
    pieces = [Piece("kept", original)]
    for edit in edits:
        before, within = _split_at(pieces, edit.start if edit.accepted else edit.end)
        if not edit.accepted:
            pieces = [*before, Piece("deleted", "", edit.id), *within]
            continue
        within, after = _split_at(within, edit.end - edit.start)
        gone = (Piece("deleted", it.text, it.edit or edit.id) for it in within if it.kind != "inserted")
        pieces = [*before, *gone, Piece("inserted", edit.new, edit.id), *after]
    return pieces


def pieces_by_place(
    pieces: Sequence[Piece], places: Iterable[Place], at: int = 0
) -> Iterator[tuple[Place | None, list[Piece]]]:
    """Yields (place, pieces in it) for each sentence or part in `places`, and (None, pieces) outside places.

    `pieces` begin at the offset `at` of the revised text. Where places overlap, the first gets the pieces.
    """
    rest = list(pieces)
    for place in sorted(places, key=lambda place: place.start):
        start, end = max(place.start, at), max(place.end, at)
        outside, rest = _split_at(rest, start - at)
        inside, rest = _split_at(rest, end - start)
        while outside and outside[-1].kind == "deleted":  # deleted text before a place belongs to it
            inside.insert(0, outside.pop())
        yield None, outside
        yield place, inside
        at = end
    yield None, rest


def merged_pieces(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Joins neighbouring pieces: each change has at most one deleted piece, and then one inserted piece."""
    for kept, run in groupby((it for it in pieces if it.text), lambda piece: piece.kind == "kept"):
        parts = list(run)
        kinds: tuple[PieceKind, ...] = ("kept",) if kept else ("deleted", "inserted")
        for kind in kinds:
            if text := "".join(piece.text for piece in parts if piece.kind == kind):
                yield Piece(kind, text)


def _split_at(pieces: Sequence[Piece], at: int) -> tuple[list[Piece], list[Piece]]:
    """Splits `pieces` after `at` characters of the revised text. Deleted pieces at the cut go to the left."""
    left: list[Piece] = []
    for index, piece in enumerate(pieces):
        width = 0 if piece.kind == "deleted" else len(piece.text)
        if width > at:
            head = [piece._replace(text=piece.text[:at])] if at else []
            return left + head, [piece._replace(text=piece.text[at:]), *pieces[index + 1 :]]
        left.append(piece)
        at -= width
    return left, []
