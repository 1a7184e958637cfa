"""Declares the card: what one reading of one sentence gives, whoever reads."""

from typing import Literal

from rarr.records.base import Record
from rarr.records.edits import EditState

CardVerdict = Literal["yes", "no", "open", "mixed", "none"]
"""Every part follows; a part conflicts; a part is not decided; the sources disagree; nothing to check."""
Side = Literal["for", "against"]


class Quote(Record):
    """Words of a source: `text` is its extracted text from `start` to `end`. `side`: for or against."""

    evidence_id: str
    start: int
    end: int
    text: str
    side: Side = "for"


class Place(Record):
    """Some characters of the text under revision."""

    start: int
    end: int


class CardEdit(Place):
    """A proposed replacement of the characters `start` to `end` of the text by `new`.

    `by` are the words of `evidence_id` that give it; empty if code could not find them there. `confirmed`:
    `by` shows what is new in `new`.
    """

    new: str
    by: str
    evidence_id: str
    confirmed: bool = False


class Card(Place):
    """The reading of the sentence at `start` to `end` of the text, after code has located its words.

    `verdict` is None for a sentence that could not be read; `reason` says why. `open` are the words that no
    source decides. `doubts` are the reasons for which code does not rely on the reading; an empty tuple means
    that reading and code agree. `unclear` are reasons to ask again, until that is done. `unreliable`: the
    reader missed planted sentences beside it. `side` is the side of a `mixed` card that weighs more; None for
    a tie. `disputed`: code found a near quotation with another value. `outcome` tells whether its edits were
    accepted; None before that.
    """

    verdict: CardVerdict | None
    quotes: tuple[Quote, ...] = ()
    open: tuple[Place, ...] = ()
    edits: tuple[CardEdit, ...] = ()
    doubts: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    unreliable: bool = False
    side: Side | None = None
    disputed: bool = False
    reason: str = ""
    outcome: EditState | None = None

    @property
    def is_decided(self) -> bool:
        """Does one side say something about every part of the sentence, and has code no doubt?"""
        one_side = self.verdict in ("yes", "no") or self.side is not None
        return one_side and not self.open and not self.doubts

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids of the evidence that it quotes, each once."""
        return tuple(dict.fromkeys(quote.evidence_id for quote in self.quotes))
