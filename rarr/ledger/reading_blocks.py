"""Cuts the sentences of a text into blocks for one request each, and plants the controls of a block."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rarr.backends.prompted.cards import SENTENCES
from rarr.backends.source_lines import labelled
from rarr.components import Piece, RawCard, ReadingBlock, SourceLine
from rarr.ledger.controls import Control, controls
from rarr.records import Evidence
from rarr.records.usage import Controls
from rarr.tools.text.blocks_and_sentences import Block, Span, blocks, sentences

ERRORS, REPETITIONS = 3, 1
"""Planted controls of a block; one of each in a block of up to three sentences."""
_FEW = 3
_BEFORE = 400  # characters of the paragraph before a block
_NEAR = 400  # characters between two sentences of a block that are shown
# A heading, or a list or table whose first line does not need the line before it.
_BREAK = re.compile(r"(?<=[.!?。！？])\n[ \t]*\n(?=[ \t]*(?:\#|[-*+] |\d{1,3}[.)] |\|))")
_ELLIPSIS = "\n\n[...]\n\n"


class Planted(NamedTuple):
    """A block with the place in the text, or the control, of each number, and the lines by label."""

    block: ReadingBlock
    places: Mapping[int, Span]
    controls: Mapping[int, Control]
    lines: Mapping[str, SourceLine]

    @property
    def has_error(self) -> bool:
        """Is an error planted? A repetition alone does not examine a reader that agrees with everything."""
        return any(control.kind != "repetition" for control in self.controls.values())


def divided(places: Sequence[Span], most: int = SENTENCES) -> list[list[Span]]:
    """Divides sentences into blocks of nearly equal size, of at most `most`."""
    count = -(-len(places) // most)
    cuts = [round(number * len(places) / count) for number in range(count + 1)] if count else []
    return [list(places[begin:end]) for begin, end in pairwise(cuts)]


def planted(
    text: str,
    context: str,
    places: Sequence[Span],
    evidence: Sequence[Evidence],
    *,
    errors: int = ERRORS,
    repetitions: int = REPETITIONS,
    lead: int = 0,
    salt: str = "",
    written: Mapping[Span, str] | None = None,
) -> Planted:
    """Builds the block of these sentences of `text`, with controls made from the excerpts in `evidence`.

    The characters before `lead` stand before the text that is read, and are never part of a block. Another
    `salt` gives other controls. `written` has the sentences to ask about, with their new words; the
    other sentences are only shown.
    """
    excerpts = labelled(evidence)
    pieces = _pieces(text, places, lead, written)
    shown = "".join(piece.text for piece in pieces)
    asked = [place for place in places if written is None or place in written]
    if len(asked) <= _FEW:
        errors, repetitions = min(errors, 1), min(repetitions, 1)
    made = controls(excerpts, salt + shown, errors=errors, repetitions=repetitions) if errors else []
    pieces, by_number, at = _with_controls(pieces, made, asked)
    lines = {line.label: line for excerpt in excerpts for line in excerpt.lines}
    block = ReadingBlock(context, _before(text, places[0], lead), pieces, excerpts)
    return Planted(block, at, by_number, lines)


def shown_evidence(block: Planted) -> list[str]:
    """Returns the ids of the evidence that a block shows."""
    lines = (line for excerpt in block.block.excerpts for line in excerpt.lines)
    return list(dict.fromkeys(line.evidence_id for line in lines))


def traced_reading(
    block: Planted, cards: Mapping[int, RawCard], missed: Sequence[int]
) -> dict[str, list[Any]]:
    """Returns what a trace keeps of a reading: what was said of each sentence, the planted ones apart."""
    words = {piece.number: piece.text for piece in block.block.pieces if piece.number}
    verdicts = {number: card.verdict for number, card in cards.items()}
    return {
        "sentences": [
            {
                "number": number,
                "text": words[number],
                "verdict": verdicts.get(number, ""),
                "evidence": _quoted(cards.get(number), block.lines),
            }
            for number in block.places
        ],
        "controls": [
            {
                "number": number,
                "text": control.text,
                "kind": control.kind,
                "wrong": control.wrong,
                "right": control.right,
                "borrowed": control.borrowed,
                "evidence": control.origin.evidence_id,
                "verdict": verdicts.get(number, ""),
                "missed": number in missed,
            }
            for number, control in block.controls.items()
        ],
    }


def _quoted(card: RawCard | None, lines: Mapping[str, SourceLine]) -> list[str]:
    labels = (*card.quotes, *card.against) if card else ()
    return list(dict.fromkeys(lines[label].evidence_id for label in labels if label in lines))


def _pieces(
    text: str, places: Sequence[Span], lead: int, written: Mapping[Span, str] | None
) -> Sequence[Piece]:
    """Writes the text from the first sentence to the last one, with what stands between them.

    The number of a sentence to be read is 1 for now. A gap that is too long is left out.
    """
    known = sentences(text)
    start = max([lead, *(span.end for span in known if span.end <= places[0].start)])
    pieces, at = list[Piece](), start
    for place in places:
        gap = text[at : place.start]
        if len(gap) > _NEAR:
            near = [span for span in known if at <= span.start and span.end <= place.start]
            gap = _ELLIPSIS + text[near[-1].start if near else place.start - _NEAR : place.start]
        words = place.of(text) if written is None else written.get(place, place.of(text))
        pieces += [Piece(gap), Piece(words, int(written is None or place in written))]
        at = place.end
    return pieces


def _with_controls(
    pieces: Sequence[Piece], made: Sequence[Control], places: Sequence[Span]
) -> tuple[tuple[Piece, ...], dict[int, Control], dict[int, Span]]:
    """Puts the controls in as paragraphs, and numbers the sentences in the order of the block."""
    waiting = list(made)
    breaks = sum(1 for piece in pieces if not piece.number and _BREAK.search(piece.text))
    share = -(-len(waiting) // (breaks + 1)) if waiting else 0
    result: list[Piece] = []
    by_number: dict[int, Control] = {}
    at: dict[int, Span] = {}
    following = iter(places)

    def number() -> int:
        return len(by_number) + len(at) + 1

    def put(some: Sequence[Control]) -> None:
        for control in some:
            result.append(Piece("\n\n"))
            result.append(Piece(control.text, number()))
            by_number[number()] = control

    for position, piece in enumerate(pieces):
        if piece.number:
            result.append(piece._replace(number=number()))
            at[number()] = next(following)
        elif position and waiting and (match := _BREAK.search(piece.text)):
            result.append(Piece(piece.text[: match.start()]))
            put(waiting[:share])
            waiting = waiting[share:]
            result.append(Piece(piece.text[match.start() :]))
        else:
            result.append(piece)
    put(waiting)
    return tuple(piece for piece in result if piece.text), by_number, at


def _before(text: str, first: Span, lead: int) -> str:
    """Returns the headings above the first sentence, and the end of the paragraph before it."""
    parsed = [block for block in blocks(text) if block.start < first.start]
    chain: list[Block] = []
    for block in parsed:
        if block.kind == "heading":
            chain = [*(above for above in chain if above.level < block.level), block]
    known = [span for span in sentences(text) if span.end <= first.start]
    paragraph = text[max(known[-1].start, known[-1].end - _BEFORE) : known[-1].end] if known else ""
    # Headings inside the block are shown there.
    start = max([lead, *(span.end for span in known)])
    above = [text[block.start : block.end].strip() for block in chain if block.start < start]
    return "\n\n".join([*above, paragraph]).strip()


def counted_controls(block: Planted, missed: Sequence[int]) -> Controls:
    """Counts the controls of a block."""
    counts: dict[str, int] = defaultdict(int)
    for number, control in block.controls.items():
        error = control.kind != "repetition"
        names = ["planted", "caught"] if error else ["repeated", "confirmed"]
        names += ["borrowed", "borrowed_caught"] if control.borrowed else []
        for name in names:
            good = name in ("caught", "borrowed_caught", "confirmed")
            counts[name] += int(not good or number not in missed)
    counts["blocks_without"] = int(not block.has_error)
    return Controls(**counts)
