"""Cuts the sentences of a text into blocks for one request each, and plants the controls of a block."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from rarr.backends.prompted.cards import SENTENCES
from rarr.backends.source_lines import labelled
from rarr.components import Piece, RawCard, RawReading, ReadingBlock, SourceLine
from rarr.ledger.card import Located, located
from rarr.ledger.controls import Control, controls, is_missed
from rarr.ledger.reader_record import Outcomes
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


@dataclass
class Planted:
    """A block with the place in the text, or the control, of each number, and how it was read.

    `lines` are the source lines by label. `cards` are those that the reader filled, by number, `located` the
    cards of the text, and `missed` the controls that it missed. `failed` says why the block was not read at
    all, `problem` why cards may be missing, and `served` names the model that answered.
    """

    block: ReadingBlock
    places: Mapping[int, Span]
    controls: Mapping[int, Control]
    lines: Mapping[str, SourceLine]
    cards: Mapping[int, RawCard] = field(default_factory=dict)
    located: dict[Span, Located] = field(default_factory=dict)
    missed: tuple[int, ...] = ()
    served: str = ""
    failed: str = ""
    problem: str = ""

    @property
    def has_error(self) -> bool:
        """Is an error planted? A repetition alone does not examine a reader that agrees with everything."""
        return any(control.kind != "repetition" for control in self.controls.values())

    @property
    def evidence_ids(self) -> list[str]:
        """The ids of the evidence that the block shows."""
        return list(dict.fromkeys(line.evidence_id for line in self.lines.values()))

    def keep(self, reading: RawReading, text: str, *, doubting: bool) -> None:
        """Locates the cards of a reading in the text, and finds the planted sentences that it missed.

        A reading that doubts gives verdicts alone: a planted error needs the verdict `no`.
        """
        self.cards, self.served, self.problem = reading.cards, reading.served, reading.problem
        cards = self.cards
        if doubting:
            self.missed = tuple(n for n in self.controls if n not in cards or cards[n].verdict != "no")
            return
        # Nothing is known of how an answer judges that has no cards, or was cut off before the controls.
        if not cards or (self.problem and not self.controls.keys() <= cards.keys()):
            return
        for number, place in self.places.items():
            if number in cards:
                self.located[place] = located(cards[number], text, place, self.lines)
        self.missed = tuple(
            number for number, it in self.controls.items() if is_missed(it, cards.get(number), self.lines)
        )

    def traced(self) -> dict[str, list[Any]]:
        """Returns what a trace keeps of a reading: what was said of each sentence, the planted ones apart."""
        words = {piece.number: piece.text for piece in self.block.pieces if piece.number}
        verdicts = {number: card.verdict for number, card in self.cards.items()}
        quoted = {
            number: list(
                dict.fromkeys(
                    self.lines[label].evidence_id
                    for label in (*card.quotes, *card.against)
                    if label in self.lines
                )
            )
            for number, card in self.cards.items()
        }
        return {
            "sentences": [
                {
                    "number": number,
                    "text": words[number],
                    "verdict": verdicts.get(number, ""),
                    "evidence": quoted.get(number, []),
                }
                for number in self.places
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
                    "missed": number in self.missed,
                }
                for number, control in self.controls.items()
            ],
        }

    def counts(self) -> Controls:
        """Counts the controls for the usage of the run."""
        errors = {number: it for number, it in self.controls.items() if it.kind != "repetition"}
        borrowed = [number for number, it in errors.items() if it.borrowed]
        repeated = self.controls.keys() - errors.keys()
        return Controls(
            planted=len(errors),
            caught=len(errors.keys() - set(self.missed)),
            borrowed=len(borrowed),
            borrowed_caught=len(set(borrowed) - set(self.missed)),
            repeated=len(repeated),
            confirmed=len(repeated - set(self.missed)),
            blocks_without=int(not self.has_error),
        )

    def outcomes(self, sources: Mapping[str, str]) -> Outcomes:
        """Counts the controls for the record of the reader; `sources` has the document of each evidence."""
        borrowed = {number for number, it in self.controls.items() if it.borrowed}
        return Outcomes(
            planted=len(self.controls),
            missed=len(self.missed),
            borrowed=len(borrowed),
            borrowed_missed=len(borrowed & set(self.missed)),
            source=min((sources[it.origin.evidence_id] for it in self.controls.values()), default=""),
        )


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
    `salt` gives other controls. `written` has new words for some sentences.
    """
    excerpts = labelled(evidence)
    pieces = _pieces(text, places, lead, written)
    shown = "".join(piece.text for piece in pieces)
    if len(places) <= _FEW:
        errors, repetitions = min(errors, 1), min(repetitions, 1)
    made = controls(excerpts, salt + shown, errors=errors, repetitions=repetitions) if errors else []
    pieces, by_number, at = _with_controls(pieces, made, places)
    lines = {line.label: line for excerpt in excerpts for line in excerpt.lines}
    block = ReadingBlock(context, _before(text, places[0], lead), pieces, excerpts)
    return Planted(block, at, by_number, lines)


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
        pieces += [Piece(gap), Piece((written or {}).get(place, place.of(text)), 1)]
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
