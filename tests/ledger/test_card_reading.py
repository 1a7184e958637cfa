"""Which readings count if a block is read twice."""

import pytest
from makers import evidence, runtime, state

from rarr.components import RawCard, RawEdit, RawReading, ReadingBlock
from rarr.ledger.card_reading import UNEXAMINED, UNRELIABLE, CardReading, KeptEvidence
from rarr.ledger.card_report import status_of_card
from rarr.tools.text.blocks_and_sentences import sentences

CLEAR = (
    "The Tarrow bridge opened on 4 May 1932 in Port Halden. The Tarrow bridge cost 12 million crowns. "
    "The ferry of Port Halden carried 900 people in 1931. The tunnel of Port Halden cost 31 million crowns."
)
POINTING = "It is 640 metres long."  # no planted sentence can be made of it
TEXT = "The Tarrow bridge cost 12 million crowns. The bridge is 640 metres long."


class Lazy:
    """A reader that agrees to everything, so that it misses all planted errors."""

    name = "lazy"
    is_model = True

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        first = block.excerpts[0].lines[0].label
        return RawReading({it.number: RawCard("yes", (first,)) for it in block.pieces if it.number})


async def test_half_without_controls_stays_unreliable_after_a_missed_block() -> None:
    first, second = sentences(TEXT)
    found = [evidence(CLEAR, id="q1.1"), evidence(POINTING, id="q2.1", source="length.md")]
    kept = KeptEvidence(found, {first: ["q1.1"], second: ["q2.1"]})
    context = runtime(card_reader=Lazy()).context
    read = await CardReading(state(TEXT, found=found), kept, context).read([first, second])
    assert [counts.blocks_without for counts in read["controls"]].count(1) == 1
    assert all(UNRELIABLE in card.doubts for card in read["cards"])


async def test_agreement_that_nothing_examined_is_not_relied_on() -> None:
    """No error can be planted in either request. The reader would confirm itself."""
    [place] = sentences(POINTING)
    found, context = [evidence(POINTING, id="q1.1")], runtime(card_reader=Lazy()).context
    kept = KeptEvidence(found, {place: ["q1.1"]})
    read = await CardReading(state(POINTING, found=found), kept, context).read([place])
    assert read["cards"][0].doubts == (UNEXAMINED,)
    assert [notice.code for notice in read["warnings"]] == ["reader_unexamined"]


class Contrary(Lazy):
    """A reader without controls that replaces 12 million by 15, and copies words that have neither or one."""

    is_model = False

    def __init__(self, by: str) -> None:
        self._edit = RawEdit("12 million", "15 million", by)

    async def read(self, block: ReadingBlock, *, doubting: bool = False, seed: int = 0) -> RawReading:
        label = next(it.label for it in block.excerpts[0].lines if self._edit.by in it.text)
        return RawReading({1: RawCard("no", (label,), edits=(self._edit,))}, self.name)


@pytest.mark.parametrize(
    ("by", "status"),
    [
        ("cost 12 million crowns", "unconfirmed"),
        ("cost 31 million crowns", "contradicted"),
        ("not 12 million crowns", "contradicted"),
    ],
)
async def test_suggestion_whose_source_says_the_same_contradicts_nothing(by: str, status: str) -> None:
    [place, _] = sentences(TEXT)
    kept = [evidence(f"{CLEAR} It was not 12 million crowns.", id="q1.1")]
    context = runtime(card_reader=Contrary(by)).context
    shown = KeptEvidence(kept, {place: ["q1.1"]})
    read = await CardReading(state(TEXT, found=kept), shown, context).read([place])
    assert status_of_card(read["cards"][0]) == status
