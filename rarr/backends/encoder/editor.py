"""Corrects a value or name of a text: hides it, and lets the encoder find words for it in a passage.

`rarr train editor` trains this editor on texts with errors (PURR, Chen et al. 2023). The editor fills a gap
in the text with words of the passage, as a cloze reader does (Glass et al. 2020).
"""

import math
from itertools import accumulate
from typing import NamedTuple

from rarr.backends.embedded.items import is_draft_file, items_of
from rarr.backends.embedded.near_quote_reader import near_quote_cards
from rarr.backends.encoder.inputs import MaskedSpan, MaskKind
from rarr.backends.encoder.model import Encoder
from rarr.backends.phrases import Phrase, contradict, places_of, values_and_names
from rarr.components import Excerpt, RawCard, RawEdit, RawReading, ReadingBlock
from rarr.tools.concurrency import in_thread
from rarr.tools.text.blocks_and_sentences import Span

_RANKED = 5  # the most places of a passage that the editor tries for each value


class Correction(NamedTuple):
    """The probability that the phrase `other` of a passage corrects the phrase `old` of a text."""

    old: Phrase
    other: Phrase
    probability: float

    def corrected_text(self, text: str, passage: str) -> str:
        """Returns the text with `other`, as written in the passage, in place of `old`."""
        return text[: self.old.start] + passage[self.other.start : self.other.end] + text[self.old.end :]


class TrainedReader:
    """A card reader that reads like `NearQuoteReader`, and corrects undecided sentences by the encoder.

    The encoder never decides that a sentence is supported. A card is the answer about a sentence.
    """

    name = "embedded"
    is_model = False

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        """Returns the cards of the block. `doubting` and `seed` have no effect."""
        return RawReading(await in_thread(self._read_cards, block), self.name)

    def _read_cards(self, block: ReadingBlock) -> dict[int, RawCard]:
        cards = near_quote_cards(block)
        for piece in block.pieces:
            if piece.number and cards[piece.number].verdict == "open":
                read = (it for it in block.excerpts if not is_draft_file(it.source))
                found = [card for it in read if (card := self._correcting_card(piece.text, it))]
                cards[piece.number] = found[0] if len(found) == 1 else cards[piece.number]
        return cards

    def _correcting_card(self, sentence: str, excerpt: Excerpt) -> RawCard | None:
        """Returns a card that corrects the sentence by the excerpt; None if no correction is probable."""
        passage = " ".join(line.text for line in excerpt.lines)
        found = likeliest_correction(self._encoder, sentence, excerpt.title, passage)
        if found is None or found.probability < self._encoder.threshold:
            return None
        ends = accumulate(len(it.text) + 1 for it in excerpt.lines)  # with the space before the next line
        line = next(it for it, end in zip(excerpt.lines, ends, strict=True) if found.other.start < end)
        edit = RawEdit(sentence, found.corrected_text(sentence, passage), line.text)
        return RawCard("no", (line.label,), edits=(edit,))


def likeliest_correction(encoder: Encoder, text: str, title: str, passage: str) -> Correction | None:
    """Returns the most probable correction of one value or name of the text; None without a correction."""
    if not encoder.can_read_all(text):
        return None
    topic = {item.stem for item in items_of(title)}
    strange = [it for it in values_and_names(text) if not places_of(it.items, passage)]
    found, others = list[Correction](), values_and_names(passage)
    for phrase in (it for it in strange if not topic.issuperset(item.stem for item in it.items)):
        masked = MaskedSpan(Span(phrase.start, phrase.end), mask_kind(phrase))
        for span, log in encoder.find_hidden_words(text, title, passage, masked, _RANKED):
            other = next((it for it in others if it.start < span.end and span.start < it.end), None)
            if other is not None and contradict(phrase, other):
                found.append(Correction(phrase, other, math.exp(log)))
                break
    if not found:
        return None
    best = max(found, key=lambda it: it.probability)
    contradiction = encoder.judgement(text, title, passage).contradiction or 0.0
    return best._replace(probability=best.probability * contradiction)


def mask_kind(phrase: Phrase) -> MaskKind:
    """Returns the kind of mask that hides a value or name: "date", "number" or "name"."""
    value = phrase.items[0].value
    if value is None:
        return "name"
    return "date" if value.kind in ("date", "time") else "number"
