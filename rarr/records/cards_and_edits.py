"""Declares the cards of sentences and the edits of a text, and applies accepted edits.

A card is what one reading of one sentence gives, whoever reads.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import model_validator
from rapidfuzz.distance import Levenshtein

from rarr.errors import InputError
from rarr.records.base import Record

CardVerdict = Literal["yes", "no", "open", "mixed", "none"]
"""Every part follows; a part conflicts; a part is not decided; the sources disagree; nothing to check."""
Side = Literal["for", "against"]
EditState = Literal["accepted", "suggested", "refused"]


class Quote(Record):
    """Words of a source: `text` is its extracted text from `start` to `end`. `side`: for or against."""

    evidence_id: str
    start: int
    end: int
    text: str
    side: Side = "for"


class Place(Record):
    """Some characters of a text, from `start` to `end`."""

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


class Change(Place):
    """An editor's proposal to replace the characters `start` to `end` by `new`."""

    new: str


class Edit(Change):
    """A proposed change with its state; `start` and `end` point into the text that it was proposed for.

    An `accepted` edit is in the text. A `suggested` edit is likely right, but not sure enough: it is shown
    and not applied (`Revision.accept` applies it). A `refused` edit is not applied. `reason` gives the reason
    of the state. `confirmed`: code found the new value in the words of the source, and nothing else of the
    sentence is open.
    """

    id: str
    old: str
    query_id: str
    evidence_id: str
    state: EditState
    confirmed: bool = False
    reason: str

    @model_validator(mode="before")
    @classmethod
    def _reads_earlier_records(cls, values: Any) -> Any:
        """Drops `accepted`, which earlier versions wrote beside `state`."""
        return {it: values[it] for it in values if it != "accepted"} if isinstance(values, dict) else values

    @property
    def accepted(self) -> bool:
        """True if the edit is in the text."""
        return self.state == "accepted"


def require_state(state: EditState | Literal[""], edits: Sequence[Edit], edit_ids: Sequence[str]) -> None:
    """Raises `InputError` unless there are ids, each of an edit in this state; "" is any state."""
    known = ", ".join(it.id if state else f"{it.id} ({it.state})" for it in edits if state in ("", it.state))
    for edit_id in edit_ids or ("",):
        now = next((it.state for it in edits if it.id == edit_id), "unknown")
        if now == "unknown" or state not in ("", now):
            where = "in the text already" if now == "accepted" else now
            wrong = f"edit {edit_id!r} is {where}" if edit_id else "no edit is named"
            which = f"{state} edits, one by one" if state else "edits that a person can decide"
            raise InputError(f"{wrong}; {which}: {known or 'none'}")


def with_edits(text: str, edits: Sequence[Edit]) -> str:
    """Applies the accepted edits to `text` in order."""
    for edit in edits:
        if edit.accepted:
            text = text[: edit.start] + edit.new + text[edit.end :]
    return text


def take_out(edits: list[Edit], number: int) -> Change:
    """Refuses the accepted edit at `number`, moves the edits after it, and returns the change of the text.

    Raises `InputError` if a later edit changed its new words.
    """
    edit = edits[number]
    edits[number] = edit.model_copy(update={"state": "refused"})
    start, end = edit.start, edit.start + len(edit.new)
    grown = end - edit.end
    for at, later in enumerate(edits[number + 1 :], start=number + 1):
        if later.accepted and later.start < end and start < later.end:
            raise InputError(f"{later.id} changed what a reverted edit wrote: revert {later.id} as well")
        if later.start < end:
            new_start, new_end = shifted(later.start, later.end, start, end, end - grown)
        else:  # an insertion goes behind words deleted there
            new_start, new_end = later.start - grown, later.end - grown
        edits[at] = later.model_copy(update={"start": new_start, "end": new_end})
        if later.accepted:
            start, end = moved_range(start, end, [later])
    return Change(start=start, end=end, new=edit.old)


def moved_range(start: int, end: int, changes: Sequence[Change]) -> tuple[int, int]:
    """Returns a range of characters, moved to the text after `changes`, which were made one after another.

    A range that a change overlaps grows to cover it all.
    """
    for change in changes:
        start, end = shifted(start, end, change.start, change.end, change.start + len(change.new))
    return start, end


def shifted(start: int, end: int, at: int, old_end: int, new_end: int) -> tuple[int, int]:
    """Moves a range by the replacement of the characters `at` to `old_end`, which then end at `new_end`."""
    grown = new_end - old_end
    if end <= at:
        return start, end
    if old_end <= start:
        return start + grown, end + grown
    return min(start, at), max(end, old_end) + grown


def pres_lev(*parts: tuple[str, str]) -> float:
    """Pres_Lev: max(1 - Lev(x, y) / len(x), 0) over characters (Gao et al. 2023, section 2.2).

    The text is one pair (original, revised), or pairs that were revised one by one: the distance is the sum
    over them, so the time grows with the text and not with its square. For an empty original, an empty
    revision has preservation 1, and any other revision 0.
    """
    if not (length := sum(len(original) for original, _ in parts)):
        return float(not any(revised for _, revised in parts))
    distance = sum(Levenshtein.distance(original, revised) for original, revised in parts)
    return max(1 - distance / length, 0.0)
