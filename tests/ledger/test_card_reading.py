"""Which readings count where a block is read twice."""

from makers import evidence, runtime, state

from rarr.components import RawCard, RawReading, ReadingBlock
from rarr.ledger.card_reading import UNEXAMINED, UNRELIABLE, Kept, read_cards
from rarr.tools.text.blocks_and_sentences import sentences

CLEAR = (
    "The Tarrow bridge opened on 4 May 1932 in Port Halden. The Tarrow bridge cost 12 million crowns. "
    "The ferry of Port Halden carried 900 people in 1931. The tunnel of Port Halden cost 31 million crowns."
)
POINTING = "It is 640 metres long."  # no planted sentence can be made of it
TEXT = "The Tarrow bridge cost 12 million crowns. The bridge is 640 metres long."


class Lazy:
    """A reader that agrees to everything, and so misses all planted errors."""

    name = "lazy"
    is_model = True

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        first = block.excerpts[0].lines[0].label
        return RawReading({it.number: RawCard("yes", (first,)) for it in block.pieces if it.number})


async def test_half_without_controls_stays_unreliable_after_a_missed_block() -> None:
    first, second = sentences(TEXT)
    found = [evidence(CLEAR, id="q1.1"), evidence(POINTING, id="q2.1", source="length.md")]
    kept = Kept(found, {first: ["q1.1"], second: ["q2.1"]})
    read = await read_cards(
        state(TEXT, found=found), [first, second], kept, runtime(card_reader=Lazy()).context
    )
    assert [counts.blocks_without for counts in read.controls].count(1) == 1
    assert all(UNRELIABLE in card.doubts for card in read.cards)


async def test_agreement_that_nothing_examined_is_not_relied_on() -> None:
    """No error can be planted in either request, so the reader would confirm itself."""
    [place] = sentences(POINTING)
    found = [evidence(POINTING, id="q1.1")]
    kept = Kept(found, {place: ["q1.1"]})
    read = await read_cards(state(POINTING, found=found), [place], kept, runtime(card_reader=Lazy()).context)
    assert read.cards[0].doubts == (UNEXAMINED,)
