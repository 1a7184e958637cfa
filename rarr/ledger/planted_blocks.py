"""Divides sentences into blocks, one for each request, and adds controls (test sentences) to each block."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, TypeAlias

from rarr.backends.prompted.cards import MAX_SENTENCES
from rarr.backends.source_lines import labelled_excerpts, lead_line
from rarr.components import BlockPiece, RawCard, RawReading, ReadingBlock, SourceLine
from rarr.ledger.card import make_card
from rarr.ledger.controls import Control, is_disputed, is_missed, make_controls
from rarr.records import Evidence
from rarr.records.base import Controls
from rarr.records.cards_and_edits import Card
from rarr.state import State
from rarr.tools.text.blocks_and_sentences import Span, sentences, table_cells
from rarr.tools.text.section_headings import headings_above

MAX_ERRORS, MAX_REPETITIONS = 3, 1
"""The most planted errors and repetitions in a block. A block of up to three sentences has one of each."""
_NEAR = 400  # the most characters shown of the sentence before a block, and between two sentences
# The gap before a heading, list or table, if the line above the gap ends a sentence.
_BREAK = re.compile(r"(?<=[.!?。！？])\n[ \t]*\n(?=[ \t]*(?:\#|[-*+] |\d{1,3}[.)] |\|))")

_Words: TypeAlias = "tuple[str, Span | Control | None]"
"""Words of a block, and their kind: the place of a sentence, a control, or None for words between them."""


@dataclass
class BlockReading:
    """A request about a block of numbered sentences and planted controls, with the answer of the reader."""

    request: ReadingBlock
    places: Mapping[int, Span]  # the sentences of the text by number
    controls: Mapping[int, Control]  # the planted controls by number
    lines: Mapping[str, SourceLine]  # the source lines by label
    cards: Mapping[int, RawCard] = field(default_factory=dict)  # the reader's cards by number
    located: dict[Span, Card] = field(default_factory=dict)  # the checked cards by the place of the sentence
    missed: tuple[int, ...] = ()  # the numbers of the controls that the reader misjudged
    disputed: int = 0  # the number of a control about which the sources disagree; 0: there is none
    served: str = ""  # the name of the model that answered
    failed: str = ""  # the reason why nothing was read
    problem: str = ""  # the reason why cards may be missing

    @property
    def examining_controls(self) -> dict[int, Control]:
        """The controls that test the reader, by number. Leaves out the control on which sources disagree."""
        return {number: it for number, it in self.controls.items() if number != self.disputed}

    @property
    def has_planted_error(self) -> bool:
        """True if a planted error tests the reader. A reader that always agrees passes every repetition."""
        return any(it.kind != "repetition" for it in self.examining_controls.values())

    def add_reading(self, reading: RawReading, text: str, *, doubting: bool) -> None:
        """Stores the answer of the reader, makes the cards of the text, and finds the misjudged controls.

        If `doubting`, makes no cards, and each control needs only the verdict `no` to be judged right. Else,
        if the answer ends before the last control, makes no cards, and no control counts as misjudged.
        """
        cards, lines = reading.cards, self.lines
        read = [(place, cards[n]) for n, place in self.places.items() if n in cards]
        self.cards, self.served, self.problem = reading
        if doubting:
            self.missed = tuple(n for n in self.controls if n not in cards or cards[n].verdict != "no")
        # An answer without cards of the text, or that ends before the controls, does not test the reader.
        elif read and (not self.problem or self.controls.keys() <= cards.keys()):
            self.located = {place: make_card(card, text, place, lines) for place, card in read}
            missed = [n for n, it in self.controls.items() if is_missed(it, cards.get(n), lines)]
            disputed = (n for n in missed if is_disputed(self.controls[n], cards.get(n), lines))
            self.disputed = next(disputed, 0)
            self.missed = tuple(n for n in missed if n != self.disputed)

    def verdicts_for_trace(self) -> dict[str, list[dict[str, Any]]]:
        """Returns for the trace the verdict on each sentence (`sentences`) and each control (`controls`)."""
        traced: dict[str, list[dict[str, Any]]] = {"sentences": [], "controls": []}
        for text, number in (piece for piece in self.request.pieces if piece.number):
            card, control = self.cards.get(number), self.controls.get(number)
            said: dict[str, Any] = {"number": number, "text": text, "verdict": card.verdict if card else ""}
            if control is None:
                labels = (*card.quotes, *card.against) if card else ()
                ids = (self.lines[label].evidence_id for label in labels if label in self.lines)
                traced["sentences"].append({**said, "evidence": list(dict.fromkeys(ids))})
            else:
                said |= {name: getattr(control, name) for name in ("kind", "wrong", "right", "borrowed")}
                said |= {"missed": number in self.missed, "evidence": control.origin.evidence_id}
                traced["controls"].append(said)
        return traced

    def counts(self) -> Controls:
        """Counts the controls that test the reader, and how many it judged right, for the run's usage."""
        total = Controls(blocks_without=int(not self.has_planted_error))
        for number, it in self.examining_controls.items():
            right, lent = int(number not in self.missed), int(it.borrowed)
            if it.kind == "repetition":
                total += Controls(repeated=1, confirmed=right)
            else:
                total += Controls(planted=1, caught=right, borrowed=lent, borrowed_caught=right * lent)
        return total


def split_evenly(places: Sequence[Span], most: int = MAX_SENTENCES) -> list[list[Span]]:
    """Divides `places` into the fewest blocks of at most `most` sentences, all of nearly the same size."""
    count = math.ceil(len(places) / most)
    cuts = [round(number * len(places) / count) for number in range(count + 1)] if count else []
    return [list(places[begin:end]) for begin, end in pairwise(cuts)]


def make_block(
    state: State,
    places: Sequence[Span],
    evidence: Sequence[Evidence],
    planted: tuple[int, int] = (MAX_ERRORS, MAX_REPETITIONS),
    salt: str = "",
    written: Mapping[Span, str] | None = None,
) -> BlockReading:
    """Builds a block of the sentences at `places`, with controls that are made from lines of `evidence`.

    `planted`: how many errors and repetitions at most. A different `salt` gives different controls.
    `written` has the new words of edited sentences, by place: the reader judges these new words.
    """
    text, lead, excerpts = state["text"], state.get("lead", 0), labelled_excerpts(evidence)
    pieces = list(_pieces(text, places, lead, written or {}))
    shown = "".join(words for words, _ in pieces)
    errors, repetitions = (min(it, 1) for it in planted) if len(places) <= 3 else planted
    made = make_controls(excerpts, salt + shown, errors=errors, repetitions=repetitions) if errors else []
    numbered: list[BlockPiece] = []
    spans, by_number = dict[int, Span](), dict[int, Control]()
    for words, what in _insert_controls(pieces, made):
        number = 0 if what is None else len(spans) + len(by_number) + 1
        if isinstance(what, Control):
            by_number[number] = what
        elif what is not None:
            spans[number] = what
        if words:
            numbered.append(BlockPiece(words, number))
    before = _text_before(text, places[0], lead)
    lead_of_list = lead_line(text, places[0].start)
    block = ReadingBlock(state["context"] or "", before, tuple(numbered), excerpts, lead_of_list)
    lines = {line.label: line for excerpt in excerpts for line in excerpt.lines}
    return BlockReading(block, spans, by_number, lines)


def _pieces(text: str, places: Sequence[Span], lead: int, written: Mapping[Span, str]) -> Iterator[_Words]:
    known = sentences(text)
    at = max([lead, *(span.end for span in known if span.end <= places[0].start)])
    for place in places:
        gap = text[at : place.start]
        if len(gap) > _NEAR:
            near = [span for span in known if at <= span.start and span.end <= place.start]
            start = near[-1].start if near else place.start - _NEAR
            gap = "\n\n[...]\n\n" + _with_governing_line(text, place, start, place.start)
        yield gap, None
        yield written.get(place, place.of(text)), place
        at = place.end


def _insert_controls(pieces: Sequence[_Words], made: Sequence[Control]) -> Iterator[_Words]:
    """Yields `pieces` and the controls `made`, as paragraphs before headings, lists, tables or at the end."""
    paragraphs: list[tuple[_Words, _Words]] = [(("\n\n", None), (it.text, it)) for it in made]
    breaks = [_BREAK.search(words) if what is None else None for words, what in pieces]
    share = math.ceil(len(made) / (1 + sum(match is not None for match in breaks)))
    for number, ((words, what), match) in enumerate(zip(pieces, breaks, strict=True)):
        if match and number and paragraphs:
            yield words[: match.start()], None
            yield from chain.from_iterable(paragraphs[:share])
            paragraphs, words = paragraphs[share:], words[match.start() :]
        yield words, what
    yield from chain.from_iterable(paragraphs)


def _text_before(text: str, first: Span, lead: int) -> str:
    """Returns the headings above the sentence `first`, and the end of the sentence before `first`."""
    last = next((it for it in reversed(sentences(text)) if it.end <= first.start), Span(0, 0))
    headings = headings_above(text, first.start)  # the block itself shows a heading between its sentences
    above = [text[it.start : it.end].strip() for it in headings if it.start < max(lead, last.end)]
    near = _with_governing_line(text, first, max(last.start, last.end - _NEAR), last.end)
    return "\n\n".join([*above, near]).strip()


def _with_governing_line(text: str, place: Span, start: int, end: int) -> str:
    """Returns `text` from `start` to `end`, with the line that governs the cell or list item at `place`.

    Puts the headers of its table, and its row from the start, before a cell; the lead line before an item.
    """
    governing, cell = lead_line(text, place.start), table_cells(text).get(place)
    if cell and cell.column.start < end:
        start, header = (text.rfind("\n", 0, it.start) + 1 for it in (place, cell.column))
        governing = text[header : text.find("\n", header)]
    return ("" if governing in text[start : place.start] else f"{governing}\n") + text[start:end]
